import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIgnored, type IgnoreRules, readIgnoreRules } from './ignore-rules.ts'

/** The names of digested files: JavaScript, TypeScript, Python, Go, JSON and YAML. */
const sourceFilePattern = /\.(?:[cm]?[jt]sx?|py|go|json|ya?ml)$/
/** The names of folders without program sources. */
const excludedFolderPattern = /^(?:node_modules|__pycache__|\..*)$/
/** Maximum number of files in a digest. Further files do not change the digest. */
const filesMax = 20_000

/**
 * Returns a digest of the names and contents of a program's source files. Two runs of the same
 * program have the same digest. The digest leaves out the files that `.gitignore` and
 * `.antichainignore` exclude, because a deployment may write such files. It also leaves out
 * environments of Python. A changed asset does not change the digest: it changes the goals of the
 * registrations that use it.
 */
export function digestProgram(directory: string): string {
  const hash = createHash('sha256')
  let fileCount = 0
  const pendingFolders: {
    readonly folder: string
    readonly parentRules: readonly IgnoreRules[]
  }[] = [{ folder: '', parentRules: [] }]
  for (let next = pendingFolders.pop(); next !== undefined; next = pendingFolders.pop()) {
    const { folder, parentRules } = next
    const rules = [...parentRules, ...readIgnoreRules(directory, folder)]
    const entries = readdirSync(join(directory, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(folder, entry.name)
      const isFolder =
        entry.isDirectory() &&
        !excludedFolderPattern.test(entry.name) &&
        !existsSync(join(directory, name, 'pyvenv.cfg'))
      const isSource = entry.isFile() && sourceFilePattern.test(entry.name)
      if (!(isFolder || isSource) || isIgnored(rules, name, isFolder)) continue
      if (isFolder) {
        pendingFolders.push({ folder: name, parentRules: rules })
        continue
      }
      fileCount += 1
      if (fileCount > filesMax) return hash.digest('hex')
      const bytes = readFileSync(join(directory, name))
      hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest('hex')
}
