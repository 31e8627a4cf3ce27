import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const projectFolder = resolve(import.meta.dirname, '../..')

/** A hand-written source file of the project. */
export interface Source {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
}

const excludedPaths =
  /^(test\/golden\/(cases\/|provider\/|run\.mjs|README)|test\/tfgolden\/(cases|provider)\/|examples\/)/

/** Returns every hand-written file with this ending that Git does not ignore. */
export function listSources(ending: RegExp): readonly Source[] {
  const gitOutput = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard'],
    {
      cwd: projectFolder,
      encoding: 'utf8',
    },
  )
  return gitOutput
    .split('\n')
    .filter(path => ending.test(path) && !excludedPaths.test(path))
    .flatMap(path => {
      const text = readIfExists(join(projectFolder, path))
      return text === undefined ? [] : [{ path, text, lines: text.split('\n') }]
    })
}

/**
 * Returns the text of a file, or undefined if the file does not exist. Git also lists deleted
 * files.
 */
function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
