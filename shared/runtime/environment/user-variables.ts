import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { restoreUserPath } from './user-path.ts'

const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

/** Variables that the launcher of the command line sets or overwrites. */
export const launcherVariables: ReadonlySet<string> = new Set([
  'ANTICHAIN_CALLED',
  'ANTICHAIN_USER_PATH',
  'ANTICHAIN_USER_COMPILE_CACHE',
  'NODE_COMPILE_CACHE',
])

/** Returns the user's environment, without the launcher's changes. */
export function readUserVariables(): Readonly<Record<string, string>> {
  const currentPath = process.env['ANTICHAIN_USER_PATH'] ?? process.env['PATH'] ?? ''
  const path = restoreUserPath(currentPath, projectRoot)
  const compileCache = process.env['ANTICHAIN_USER_COMPILE_CACHE'] ?? ''
  const userVariables = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined || launcherVariables.has(key) ? [] : [[key, value] as const],
  )
  return {
    ...Object.fromEntries(userVariables),
    PATH: path,
    ...(compileCache === '' ? {} : { NODE_COMPILE_CACHE: compileCache }),
  }
}
