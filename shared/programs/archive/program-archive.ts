import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { create } from 'tar'
import { limits } from '../../config/limits.ts'
import { createError } from '../../errors/error.ts'
import { installedEnvironmentName, packageMarkerName } from '../hosts/installed-packages.ts'
import { isIgnored, type IgnoreRules, readIgnoreRules } from './ignore-rules.ts'

/** A packed program. */
export interface ProgramArchive {
  /** A gzipped tar file. The same folder always produces the same bytes. */
  readonly bytes: Uint8Array
  /** The number of files and links, with the extra file. */
  readonly fileCount: number
  /** Hex SHA-256 of the bytes. */
  readonly hash: string
}

/** A file that `packProgram` adds to an archive. Ignore rules do not apply to it. */
export interface ExtraFile {
  /** The path in the archive, relative to the program's folder. A file at this path is replaced. */
  readonly name: string
  readonly sourcePath: string
}

/**
 * Packs the folder of a program with its dependencies. Leaves out `.git`, `.pulumi`, and what
 * `.gitignore` and `.antichainignore` exclude. In `node_modules` and in the `.venv` of the
 * installer the rules of `.gitignore` do not apply, because repositories ignore these folders but
 * programs need them. Other virtual environments of Python are left out, because they belong to one
 * machine. Throws ARCHIVE_TOO_LARGE, and ARCHIVE_UNREADABLE for anything other than a file, folder
 * or link.
 */
export async function packProgram(
  directory: string,
  extraFile?: ExtraFile,
): Promise<ProgramArchive> {
  const { paths, fileCount, sizeBytes } = listFiles(directory, extraFile)
  const extraPath = extraFile === undefined ? undefined : relative(directory, extraFile.sourcePath)
  if (sizeBytes > limits.programBytesMax)
    throw createError(
      'ARCHIVE_TOO_LARGE',
      `the program in ${directory} has ${toMegabytes(sizeBytes)} MB; the limit is ${toMegabytes(limits.programBytesMax)} MB`,
    )
  const archive = create(
    {
      cwd: directory,
      gzip: { level: 6 },
      portable: true,
      noDirRecurse: true,
      noMtime: true,
      follow: false,
      onWriteEntry: entry => {
        if (extraFile !== undefined && entry.path === extraPath) entry.path = `./${extraFile.name}`
      },
    },
    [...paths.map(path => `./${path}`), ...(extraPath === undefined ? [] : [extraPath])],
  )
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length > limits.archiveBytesMax)
    throw createError(
      'ARCHIVE_TOO_LARGE',
      `the packed program has ${toMegabytes(bytes.length)} MB; the limit is ${toMegabytes(limits.archiveBytesMax)} MB`,
    )
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { bytes, fileCount, hash }
}

/** Dependency folders, to which `.gitignore` rules do not apply. */
const dependencyFolders: ReadonlySet<string> = new Set(['node_modules', installedEnvironmentName])
/** Names that are never part of a program. */
const excludedNames: ReadonlySet<string> = new Set(['.git', '.pulumi'])

/** Lists the files of a program. Number and size include the extra file, which is not listed. */
function listFiles(
  directory: string,
  extraFile: ExtraFile | undefined,
): {
  readonly paths: readonly string[]
  readonly fileCount: number
  readonly sizeBytes: number
} {
  const paths: string[] = []
  let fileCount = extraFile === undefined ? 0 : 1
  let sizeBytes = extraFile === undefined ? 0 : statSync(extraFile.sourcePath).size
  const visitFolder = (folder: string, parentRules: readonly IgnoreRules[]): void => {
    const rules = [...parentRules, ...readIgnoreRules(directory, folder)]
    for (const name of readdirSync(join(directory, folder)).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (excludedNames.has(name) || path === extraFile?.name) continue
      const stats = lstatSync(join(directory, path))
      const isFolder = stats.isDirectory()
      const applicableRules = isDependency(path)
        ? rules.filter(({ file }) => file === '.antichainignore')
        : rules
      if (isIgnored(applicableRules, path, isFolder)) continue
      if (isFolder && isForeignEnvironment(join(directory, path))) continue
      if (isFolder) {
        visitFolder(path, rules)
        continue
      }
      if (!stats.isFile() && !stats.isSymbolicLink())
        throw createError(
          'ARCHIVE_UNREADABLE',
          `${join(directory, path)} is not a file, folder or link`,
        )
      sizeBytes += stats.size
      fileCount += 1
      paths.push(path)
      if (fileCount > limits.archiveFilesMax)
        throw createError(
          'ARCHIVE_TOO_LARGE',
          `the program in ${directory} has more than ${limits.archiveFilesMax} files`,
        )
    }
  }
  visitFolder('', [])
  return { paths, fileCount, sizeBytes }
}

/**
 * Reports whether a folder is a virtual environment of Python that the installer did not create.
 * Such an environment has links to the Python of its machine.
 */
function isForeignEnvironment(folder: string): boolean {
  return existsSync(join(folder, 'pyvenv.cfg')) && !existsSync(join(folder, packageMarkerName))
}

/** Reports whether a path is a dependency folder, or inside one. */
function isDependency(path: string): boolean {
  return path.split('/').some(part => dependencyFolders.has(part))
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000)
}
