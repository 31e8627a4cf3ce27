import { describeLegacyLayout } from '../../shared/backends/legacy-stacks.ts'
import { openBackend } from '../../shared/backends/open-backend.ts'
import {
  openObjectStore,
  requireBackendFolder,
} from '../../shared/platform/objects/open-object-store.ts'
import { parseObjectStoreUrl } from '../../shared/platform/objects/object-store-url.ts'
import { removeLogin } from '../remote/saved-login.ts'
import type { CliSession } from '../session/session.ts'
import { saveBackend } from './current-backend.ts'

/**
 * Checks a self-managed backend by opening it, and saves its address for later commands, in place
 * of the login of an API. A new backend gets its metadata. If the opening fails, throws the error
 * of the opening, and saves nothing.
 */
export async function loginToBackend(session: CliSession, address: string): Promise<number> {
  const url = parseObjectStoreUrl(address, session.cwd)
  requireBackendFolder(url)
  const { env } = session.io
  const backend = await openBackend(await openObjectStore(url, env), env)
  const { store } = backend
  const warning = await describeLegacyLayout(backend)
  if (warning !== undefined) session.printToStderr(warning)
  const query = url.query.size > 0 ? `?${url.query.toString()}` : ''
  removeLogin(session.home)
  saveBackend(session.home, store.address + query)
  session.printToStderr(`Logged in to ${store.address}.`)
  return 0
}
