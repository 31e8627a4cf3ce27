import { createError } from '../../shared/errors/error.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Returns the API of the login. Throws LOGIN_MISSING. `task`: the beginning of the error's message,
 * such as `package registries require`. `hint`: the hint of the error.
 */
export async function requireApi(
  session: Pick<CliSession, 'openEngine'>,
  task: string,
  hint: string,
) {
  const { remote, callApi } = await session.openEngine()
  if (remote === undefined)
    throw createError('LOGIN_MISSING', `${task} a login to an API`, { hint })
  return { remote, callApi }
}
