import { z } from 'zod'
import { programLimits } from '../../config/program-limits.ts'
import { toPrintable, toPrintableLines } from '../../triggers/printable.ts'

/**
 * The schema of the order of an installer. It has no credential, because scripts of packages can
 * read the order.
 */
const installOrderForm = z.strictObject({
  repository: z.string(),
  commit: z.string(),
  /** The API address of the repository's host. */
  apiUrl: z.string(),
  /** The temporary address of the archive. Absent for a public repository. */
  location: z.string().optional(),
  /** The path of the project file's folder; '' is the top. */
  folder: z.string(),
  /** Whether the package manager runs no scripts. */
  ignoreScripts: z.boolean(),
  /** The marker of the packages that the caller has. Equal packages are not installed. */
  knownPackages: z.string().optional(),
})

/** The order of an installer: everything that the installation of a program needs. */
export type InstallOrder = z.infer<typeof installOrderForm>

/** The request for an installation. Its recipient is trusted, unlike that of an order. */
export interface ProgramInstallRequest extends InstallOrder {
  /** The credential, if the host gave no temporary address for it. */
  readonly token?: string | undefined
}

/**
 * The packages in a packed program. `none`: it needs none. `known`: they are left out, because the
 * caller has them.
 */
const packagesForm = z.enum(['none', 'known', 'installed'])
export type InstalledPackages = z.infer<typeof packagesForm>

/** A packed program. */
export interface InstalledProgram {
  readonly archive: Uint8Array
  readonly packages: InstalledPackages
}

/**
 * Fetches the program of a repository, installs its packages and packs it. Throws the errors of
 * `installErrorCodes`.
 */
export type InstallProgram = (request: ProgramInstallRequest) => Promise<InstalledProgram>

/** The codes of errors that the author of a program or of a rule can correct. */
export const installErrorCodes = [
  'ARCHIVE_INVALID',
  'ARCHIVE_TOO_LARGE',
  'ARCHIVE_UNREADABLE',
  'INSTALL_FAILED',
  'OUTBOUND_FAILED',
  'OUTBOUND_REFUSED',
  'PROJECT_NOT_FOUND',
] as const

/** A call of the installer's function: an order, and the address for the packed program. */
export const installCallForm = z.strictObject({
  order: installOrderForm,
  upload: z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()) }),
})
export type InstallCall = z.infer<typeof installCallForm>

/**
 * Makes a text safe that comes from the installer, whose scripts can forge it. It becomes part of
 * messages, logs and comments.
 */
export function cleanInstallerText(text: string): string {
  const { installerLinesMax: linesMax, installerLineCharsMax: charsMax } = programLimits
  return toPrintableLines(text, { linesMax, charsMax })
}

/**
 * The answer of the installer's function. Scripts of packages can forge it. A generator therefore
 * checks the uploaded bytes against it, accepts the codes of an installation only, and makes its
 * texts safe.
 */
export const installAnswerForm = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('installed'),
    contentHash: z.string(),
    sizeBytes: z.int(),
    packages: packagesForm,
  }),
  z.strictObject({
    kind: z.literal('refused'),
    code: z.enum(installErrorCodes),
    message: z.string().transform(cleanInstallerText),
    hint: z.string().transform(text => toPrintable(text, programLimits.installerLineCharsMax)),
  }),
])
export type InstallAnswer = z.infer<typeof installAnswerForm>
