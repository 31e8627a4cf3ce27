import { userInfo } from 'node:os'

/**
 * Returns the id of the user of this process. -1: the system has no ids. `userInfo` would throw for
 * an id without an entry in the list of users. In containers, users may have such ids.
 */
export function readUserId(): number {
  return process.getuid?.() ?? -1
}

/**
 * Returns the name of the user of this process. A user without an entry in the list of users has
 * the name of the variable `USER` or `LOGNAME`, or else the id.
 */
export function readUserName(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username
  } catch {
    return env['USER'] || env['LOGNAME'] || String(readUserId())
  }
}
