import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { userPath } from './user-path.ts'

const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The environment of the user: without what our launcher put into it. */
export function userEnvironment(): Readonly<Record<string, string>> {
  const found = process.env['ANTICHAIN_USER_PATH'] ?? process.env['PATH'] ?? ''
  const path = userPath(found, projectRoot)
  const ours = new Set(['ANTICHAIN_USER_PATH', 'NODE_COMPILE_CACHE', 'NODE_OPTIONS_ANTICHAIN'])
  const kept = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined || ours.has(key) ? [] : [[key, value] as const],
  )
  return { ...Object.fromEntries(kept), PATH: path }
}
