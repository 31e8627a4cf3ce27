import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns the name prefix of temporary folders of this process, for `removeStaleFolders`. */
export function createProcessFolderPrefix(prefix: string): string {
  return `${prefix}${process.pid}-`
}

/**
 * Removes the temporary folders with this prefix whose processes are gone. Such a process was
 * killed before it could remove its folder.
 */
export function removeStaleFolders(prefix: string): void {
  for (const name of readdirSync(tmpdir())) {
    const nameWithoutPrefix = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    // Folders with a different name format belong to other programs.
    const [, pid] = /^(\d+)-\w{6}$/.exec(nameWithoutPrefix) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) removeIfOwned(join(tmpdir(), name))
  }
}

/** Removes a folder unless it belongs to another user. */
function removeIfOwned(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
    if (code !== 'EPERM' && code !== 'EACCES') throw thrown
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')
  }
}
