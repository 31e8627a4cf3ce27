import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIgnored, type IgnoreRules, readIgnoreRules } from './ignore-rules.ts'

/** Source files of a program, and the files that configure its run. */
const sources = /\.(?:[cm]?[jt]sx?|json|ya?ml)$/
/** Folders without program sources. */
const otherFolders = /^(?:node_modules|\..*)$/
/** Maximum number of files. A folder with more is not treated as a program. */
const filesMax = 20_000

/**
 * Returns a digest of the sources of a program with their names. Two runs of the same program have
 * the same digest. It leaves out the files that `.gitignore` and `.antichainignore` exclude,
 * because a deployment may write them. Other files that the program reads, such as assets, change
 * the goals of its registrations instead.
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
