import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Returns the folder of all state: ANTICHAIN_HOME, or `.antichain` in the home folder. */
export function resolveHomeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env['ANTICHAIN_HOME'] || join(homedir(), '.antichain'))
}
