import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/** Names of the files with ignore rules. Later files take precedence. */
const ruleFiles = ['.gitignore', '.antichainignore'] as const

/**
 * Whether rules ignore the case of names. They do on systems whose file systems usually ignore the
 * case. Git sets `core.ignorecase` on the same systems.
 */
const ignorecase = ['darwin', 'win32'].includes(process.platform)

/** The ignore rules of one file. `folder` is its folder, relative to the folder of the program. */
export interface IgnoreRules {
  readonly folder: string
  /** The name of the file that contains the rules. */
  readonly file: string
  readonly rules: Ignore
}

/**
 * Reads the rules in a folder. `folder` is relative to the program's folder `directory`. A missing
 * or unreadable file has no rules.
 */
export function readIgnoreRules(directory: string, folder: string): readonly IgnoreRules[] {
  return ruleFiles.flatMap(file => {
    try {
      const text = readFileSync(join(directory, folder, file), 'utf8')
      return [{ folder, file, rules: ignore({ ignorecase }).add(text) }]
    } catch {
      return []
    }
  })
}

/**
 * Reports whether a path below the program's folder is ignored. Later rules take precedence, so
 * callers list the rules of the root folder first.
 */
export function isIgnored(
  ruleSets: readonly IgnoreRules[],
  path: string,
  isFolder: boolean,
): boolean {
  let isExcluded = false
  for (const { folder, rules } of ruleSets) {
    const relative = folder === '' ? path : path.slice(folder.length + 1)
    const { ignored, unignored } = rules.test(isFolder ? `${relative}/` : relative)
    if (ignored || unignored) isExcluded = ignored
  }
  return isExcluded
}
