import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { readTextInside } from './read-text-inside.ts'
import { classifyRequirement, listRequirementLines } from './requirement-line.ts'

/** The requirements of a Python program. */
export interface PythonRequirements {
  /** The texts of the file and of the files that it includes, in order. */
  readonly texts: readonly string[]
  /** Whether a requirement may be a folder or file, whose contents the texts do not show. */
  readonly hasLocalPackages: boolean
  /** Whether pip demands a hash of every package, so that the texts determine all versions. */
  readonly hasHashes: boolean
  /**
   * The first line that may make pip build a package. A build runs code of the package. A file that
   * was not read here may contain such a line. So the line that includes this file counts. If the
   * requirements file itself was not read, its name takes the place of the line.
   */
  readonly buildingLine: string | undefined
  /** The first line that names another index than the settings of pip. */
  readonly indexLine: string | undefined
  /** The first requirement of a package that is used in its own folder. */
  readonly editableLine: string | undefined
}

/**
 * Reads a requirements file of pip with the files that it includes. A file that is not a small
 * regular file inside `root`, or that pip may decode in another way, is not read. It counts as
 * local and as built.
 */
export function readRequirements(root: string, file: string): PythonRequirements {
  const texts: string[] = []
  const visitedFiles = new Set<string>()
  let hasLocalPackages = false
  let hasHashes = false
  let buildingLine: string | undefined
  let indexLine: string | undefined
  let editableLine: string | undefined
  const visit = (path: string, includeLine: string, isConstraint: boolean): void => {
    const location = findLocation(path)
    if (location !== undefined && visitedFiles.has(location.key)) return
    const text = location === undefined ? undefined : readPlainText(root, location.file)
    if (location === undefined || text === undefined) {
      hasLocalPackages = true
      buildingLine ??= includeLine
      return
    }
    visitedFiles.add(location.key)
    texts.push(text)
    for (const line of listRequirementLines(text)) {
      const meaning = classifyRequirement(line)
      if (meaning.kind === 'editable') editableLine ??= line
      if (meaning.kind === 'local') hasLocalPackages = true
      if (meaning.kind === 'local' || (meaning.kind === 'named' && meaning.mayBuild))
        buildingLine ??= line
      if (meaning.kind === 'named' && meaning.setsIndex) indexLine ??= line
      // Hashes of constraints apply only to the packages that they name, so they do not count.
      if (meaning.kind === 'named') hasHashes ||= meaning.hasHash && !isConstraint
      if (meaning.kind === 'include')
        visit(includedPathOf(path, meaning.file), line, isConstraint || meaning.isConstraint)
    }
  }
  visit(file, basename(file), false)
  return { texts, hasLocalPackages, hasHashes, buildingLine: buildingLine, indexLine, editableLine }
}

/** Returns the path as pip forms it. `..` after a link leaves the folder to which the link leads. */
function includedPathOf(path: string, file: string): string {
  return isAbsolute(file) ? file : `${dirname(path)}/${file}`
}

/**
 * Returns the real path of a file, and a key that also names the folder of `path`. From this folder,
 * pip includes other files, also if the path is a link. Undefined for a missing file.
 */
function findLocation(path: string): { readonly file: string; readonly key: string } | undefined {
  try {
    const file = realpathSync.native(path)
    return { file, key: `${realpathSync.native(dirname(path))}\n${file}` }
  } catch {
    return undefined
  }
}

/**
 * Returns the text of a requirements file without its byte order mark. Undefined if pip could
 * decode the file as another text, with other lines.
 */
function readPlainText(root: string, file: string): string | undefined {
  const text = readTextInside(root, file)?.replace(/^\ufeff/, '')
  if (text === undefined || /[\ufeff\ufffd]/.test(text)) return undefined
  const encodings = text
    .split('\n', 2)
    .map(line => /^#[^]*?coding[:=][ \t\r\f\v]*([\w.-]+)/.exec(line)?.[1] ?? 'utf-8')
  return encodings.every(name => /^utf-?8$/i.test(name)) ? text : undefined
}
