import { dirname, resolve } from 'node:path'
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
  /** The first line that may make pip build a package. A build runs code of the package. */
  readonly builtLine: string | undefined
  /** The first line that names another index than the settings of pip. */
  readonly indexLine: string | undefined
  /** The first requirement of a package that is used in its own folder. */
  readonly editableLine: string | undefined
}

/**
 * Reads a requirements file of pip with the files that it includes. A file that `readTextInside`
 * does not read counts as local. pip reads this file later, or reports an error.
 */
export function readRequirements(root: string, file: string): PythonRequirements {
  const texts: string[] = []
  const visitedPaths = new Set<string>()
  let hasLocalPackages = false
  let hasHashes = false
  let builtLine: string | undefined
  let indexLine: string | undefined
  let editableLine: string | undefined
  const visit = (path: string, isConstraint: boolean): void => {
    if (visitedPaths.has(path)) return
    visitedPaths.add(path)
    const text = readTextInside(root, path)
    hasLocalPackages ||= text === undefined
    if (text === undefined) return
    texts.push(text)
    for (const line of listRequirementLines(text)) {
      const meaning = classifyRequirement(line)
      if (meaning.kind === 'editable') editableLine ??= line
      if (meaning.kind === 'local') hasLocalPackages = true
      if (meaning.kind === 'local' || (meaning.kind === 'named' && meaning.mayBuild))
        builtLine ??= line
      if (meaning.kind === 'named' && meaning.setsIndex) indexLine ??= line
      // Hashes of constraints apply only to the packages that they name, so they do not count.
      if (meaning.kind === 'named') hasHashes ||= meaning.hasHash && !isConstraint
      if (meaning.kind === 'include')
        visit(resolve(dirname(path), meaning.file), isConstraint || meaning.isConstraint)
    }
  }
  visit(file, false)
  return { texts, hasLocalPackages, hasHashes, builtLine, indexLine, editableLine }
}
