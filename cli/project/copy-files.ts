import { copyFileSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { rmSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Copies the files of a folder, except those that `isCopied` leaves out, into a folder that exists.
 * If the target is the source itself, copies nothing. A target below the source is not copied into
 * itself.
 */
export function copyFiles(
  sourceFolder: string,
  targetFolder: string,
  isCopied: (name: string) => boolean = () => true,
): void {
  const target = realpathSync(targetFolder)
  const copyEntries = (from: string, to: string): void => {
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const source = join(from, entry.name)
      const copy = join(to, entry.name)
      if (entry.isDirectory()) {
        if (source === target) continue
        mkdirSync(copy, { recursive: true })
        copyEntries(source, copy)
      } else if (isCopied(entry.name)) {
        if (entry.isSymbolicLink()) copyLink(source, copy)
        else copyFileSync(source, copy)
      }
    }
  }
  const source = realpathSync(sourceFolder)
  if (source !== target) copyEntries(source, target)
}

/** Makes `copy` a link to the file or folder that the link `source` names. */
function copyLink(source: string, copy: string): void {
  rmSync(copy, { force: true })
  symlinkSync(resolve(dirname(source), readlinkSync(source)), copy)
}
