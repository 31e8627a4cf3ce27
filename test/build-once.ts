import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'

/**
 * Builds into a folder if it does not exist yet, and returns the folder. `build` fills a partial
 * folder, which then gets the name `folder`. So `folder` is never incomplete. Throws what `build`
 * throws.
 */
export function buildOnce(folder: string, build: (partialFolder: string) => void): string {
  if (existsSync(folder)) return folder
  const partialFolder = `${folder}.${process.pid}`
  mkdirSync(partialFolder, { recursive: true })
  build(partialFolder)
  try {
    renameSync(partialFolder, folder)
  } catch (thrown) {
    // Another process may have built the same folder meanwhile.
    rmSync(partialFolder, { recursive: true, force: true })
    if (!existsSync(folder)) throw thrown
  }
  return folder
}
