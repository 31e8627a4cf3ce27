import { readFileSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'

/** Maximum size of a file that describes packages. */
const textBytesMax = 1_000_000

/**
 * Returns the text of a regular file whose real path is inside a folder. Returns undefined for
 * anything else: a missing or large file, a folder, a device, or a link that leads outside.
 */
export function readTextInside(folder: string, path: string): string | undefined {
  try {
    const file = realpathSync(path)
    if (!file.startsWith(`${realpathSync(folder)}${sep}`)) return undefined
    const stats = statSync(file)
    return stats.isFile() && stats.size <= textBytesMax ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
