import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The beginning of the name of a folder of this process that who comes later may remove. */
export function processFolderName(prefix: string): string {
  return `${prefix}${process.pid}-`
}

/** Removes the folders of a kind whose processes are gone: they were killed before they could. */
export function removeLeftovers(prefix: string): void {
  for (const name of readdirSync(tmpdir())) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    // Nothing of anybody who names folders otherwise.
    const [, pid] = /^(\d+)-\w{6}$/.exec(rest) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) removeIfOwned(join(tmpdir(), name))
  }
}

/** What another user left in a shared folder is that user's to remove. */
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
