import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIgnored, type IgnoreRules, readIgnoreRules } from './ignore-rules.ts'

/** What a program is written in, and the files that say how it runs. */
const sources = /\.(?:[cm]?[jt]sx?|json|ya?ml)$/
/** Folders that hold no source of the program. */
const otherFolders = /^(?:node_modules|\..*)$/
/** Most files that are looked at: a folder with more is no program. */
const filesMax = 20_000

/**
 * The text of what a program is made of, name by name: two runs of one program have the same. What
 * `.gitignore` and `.antichainignore` leave out is no part of it: a deployment may write there.
 * What the program reads besides (assets) is told apart by the goals that it registers.
 */
export function digestProgram(directory: string): string {
  const hash = createHash('sha256')
  let files = 0
  const open: { readonly folder: string; readonly above: readonly IgnoreRules[] }[] = [
    { folder: '', above: [] },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder, above } = next
    const rules = [...above, ...readIgnoreRules(directory, folder)]
    const entries = readdirSync(join(directory, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(folder, entry.name)
      const isFolder = entry.isDirectory() && !otherFolders.test(entry.name)
      const isSource = entry.isFile() && sources.test(entry.name)
      if (!(isFolder || isSource) || isIgnored(rules, name, isFolder)) continue
      if (isFolder) {
        open.push({ folder: name, above: rules })
        continue
      }
      files += 1
      if (files > filesMax) return hash.digest('hex')
      const bytes = readFileSync(join(directory, name))
      hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest('hex')
}
