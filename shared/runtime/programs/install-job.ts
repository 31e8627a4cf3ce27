import * as z from 'zod'
import { programLimits } from '../../config/program-limits.ts'
import { webhookFormNames } from '../../triggers/webhooks/webhook-document.ts'
import { toPrintable, toPrintableLines } from '../../triggers/printable.ts'
import { packageRegistryForm } from './registries/package-registry.ts'

/**
 * The schema of an install job. A job contains no credential of a repository, because scripts of
 * packages can read the job. With a credential of a package registry, no scripts run, unless an
 * administrator allows them.
 */
const installJobForm = z.strictObject({
  repository: z.string(),
  commit: z.string(),
  /** The API address of the repository's host. */
  apiUrl: z.string(),
  /** The form of the webhook, which determines the API of the host. Default: `github`. */
  form: z.enum(webhookFormNames).optional(),
  /** The temporary address of the repository's archive. Absent for a public repository. */
  location: z.string().optional(),
  /** The temporary address of an uploaded program's archive in the bucket. */
  sourceAddress: z.url().optional(),
  /** The path of the project file's folder in the repository; '' is the root. */
  folder: z.string(),
  /** Whether the package manager runs no scripts. */
  ignoreScripts: z.boolean(),
  /** The registries of packages, with their credentials. Absent: only the public ones. */
  registries: z.array(packageRegistryForm).readonly().optional(),
  /** The marker of packages that the caller has. Packages with this marker are not installed. */
  knownPackages: z.string().optional(),
})

/**
 * The job of an installer: the program to fetch, install and pack. For an uploaded program,
 * `commit` is the name of its archive.
 */
export type InstallJob = z.infer<typeof installJobForm>

/**
 * An install job with the credential of the repository. Only a process that runs no scripts of
 * packages may get the credential.
 */
export interface ProgramInstallRequest extends InstallJob {
  /** The credential. Absent if none is needed, or if `location` replaces it. */
  readonly token?: string | undefined
  /** The packed files of an uploaded program. Then nothing is fetched from a repository. */
  readonly source?: Uint8Array | undefined
}

/**
 * The packages of a packed program. `none`: the program needs none. `known`: the archive omits
 * them, because the caller has them.
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
  'PROJECT_INVALID',
  'PROJECT_NOT_FOUND',
] as const

/** A call of the installer's function: a job (`order`), and the address for the packed program. */
export const installCallForm = z.strictObject({
  order: installJobForm,
  upload: z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()) }),
})
export type InstallCall = z.infer<typeof installCallForm>

/**
 * Makes a text of the installer printable, because scripts of packages can forge the text. The text
 * becomes part of messages, logs and comments.
 */
export function cleanInstallerText(text: string): string {
  const { installerLinesMax: linesMax, installerLineCharsMax: charsMax } = programLimits
  return toPrintableLines(text, { linesMax, charsMax })
}

/**
 * The answer of the installer's function. Scripts of packages can forge the answer. A generator
 * therefore compares the uploaded bytes with the answer, accepts only `installErrorCodes`, and
 * makes all texts printable.
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
