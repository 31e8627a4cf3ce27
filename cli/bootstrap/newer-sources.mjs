/** Compares the age of a build with that of its sources. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

/**
 * Reports whether a build exists that is not older than its sources. The modification time of
 * `file` is the start of the build. An unpacked or moved source may have an old modification time,
 * so its change time is checked too.
 */
export function isUpToDate({ file, settingFiles, sourceFolders, sourcePattern }) {
  if (!existsSync(file)) return false
  const builtAtMs = statSync(file).mtimeMs
  const isNewer = source => {
    const stats = statSync(source, { throwIfNoEntry: false })
    return stats !== undefined && Math.max(stats.mtimeMs, stats.ctimeMs) > builtAtMs
  }
  if (settingFiles.some(settingFile => isNewer(join(root, settingFile)))) return false
  return !sourceFolders.some(sourceFolder =>
    readdirSync(join(root, sourceFolder), { recursive: true, withFileTypes: true }).some(
      entry =>
        entry.isFile() &&
        sourcePattern.test(entry.name) &&
        isNewer(join(entry.parentPath ?? entry.path, entry.name)),
    ),
  )
}
