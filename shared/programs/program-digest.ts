import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a program is written in, and the files that say how it runs. */
const sources = /\.(?:[cm]?[jt]sx?|json|ya?ml)$/
/** Folders that hold no source of the program. */
const otherFolders = /^(?:node_modules|\..*)$/
/** Most files that are looked at: a folder with more is no program. */
const filesMax = 20_000

/**
 * The text of what a program is made of, name by name: two runs of one program have the same. What
 * the program reads besides (assets) is told apart by the goals that it registers.
 */
export function programDigest(directory: string): string {
  const hash = createHash('sha256')
  let files = 0
  const open = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = readdirSync(join(directory, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(folder, entry.name)
      if (entry.isDirectory() && !otherFolders.test(entry.name)) open.push(name)
      if (!entry.isFile() || !sources.test(entry.name)) continue
      files += 1
      if (files > filesMax) return hash.digest('hex')
      const bytes = readFileSync(join(directory, name))
      hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest('hex')
}
