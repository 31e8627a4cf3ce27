import { mkdirSync } from 'node:fs'
import { readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { compiledFilesMax, compiledRetentionMs } from '../../config/program-limits.ts'

/**
 * Creates the folder of compiled code, which only its owner can read. Returns undefined if that is
 * impossible, because a program also runs without compiled code.
 */
export function createCompiledFolder(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  } catch {
    return undefined
  }
}

/**
 * Limits the size of the folder of compiled code, which has a folder for each version of Node.
 * Removes the folders of versions that have compiled nothing for a time. Removes the older half of
 * the files of a folder that has too many. A removed file is compiled again when it is needed.
 * Never throws.
 */
export async function removeOldCompiledCode(
  folder: string,
  nowMs: number,
  filesMax: number = compiledFilesMax,
): Promise<void> {
  try {
    for (const version of await readdir(folder)) {
      const versionFolder = join(folder, version)
      const { mtimeMs } = await stat(versionFolder)
      if (nowMs - mtimeMs > compiledRetentionMs) await rm(versionFolder, { recursive: true })
      else await removeOlderHalf(versionFolder, filesMax)
    }
  } catch {
    // Another process may have removed the same files. The next program tries again.
  }
}

async function removeOlderHalf(versionFolder: string, filesMax: number): Promise<void> {
  const names = await readdir(versionFolder)
  if (names.length <= filesMax) return
  const files: { readonly path: string; readonly mtimeMs: number }[] = []
  for (const name of names) {
    const path = join(versionFolder, name)
    files.push({ path, mtimeMs: (await stat(path)).mtimeMs })
  }
  files.sort((a, b) => a.mtimeMs - b.mtimeMs)
  for (const { path } of files.slice(0, Math.ceil(files.length / 2))) await unlink(path)
}
