import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/** What says of a folder which of its files are no part of the program. */
const ruleFiles = ['.gitignore', '.antichainignore'] as const

/** Rules and the folder that they are said of, relative to the program's. */
export interface IgnoreRules {
  readonly folder: string
  /** The name of the file that says them. */
  readonly file: string
  readonly rules: Ignore
}

/** The rules that lie in a folder of a program; a file that cannot be read has none. */
export function readIgnoreRules(directory: string, folder: string): readonly IgnoreRules[] {
  return ruleFiles.flatMap(file => {
    try {
      const text = readFileSync(join(directory, folder, file), 'utf8')
      return [{ folder, file, rules: ignore().add(text) }]
    } catch {
      return []
    }
  })
}

/** Whether a path is left out; the folders nearest to it have the last word. */
export function isIgnored(all: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  let isOut = false
  for (const { folder, rules } of all) {
    const relative = folder === '' ? path : path.slice(folder.length + 1)
    const { ignored, unignored } = rules.test(isFolder ? `${relative}/` : relative)
    if (ignored || unignored) isOut = ignored
  }
  return isOut
}
