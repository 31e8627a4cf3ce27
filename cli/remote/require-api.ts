import { error } from '../../shared/errors/error.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Returns the API of the login. `task` is the subject of the error without a login, and `hint` its
 * next step. Throws LOGIN_MISSING.
 */
export async function requireApi(
  session: Pick<CliSession, 'openEngine'>,
  task: string,
  hint: string,
) {
  const { remote, callApi } = await session.openEngine()
  if (remote === undefined) throw error('LOGIN_MISSING', `${task} a login to an API`, { hint })
  return { remote, callApi }
}
