import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { changeSecretsProvider } from '../stack/change-secrets-provider.ts'

/**
 * `stack change-secrets-provider <provider>`: encrypts the configuration and the state of a stack
 * with a secrets provider. If the stack already has this provider, the passphrase or data key is
 * replaced.
 */
export const changeStackSecretsProvider: Handler = async (session, _flags, [provider = '']) => {
  if (provider === '') throw createError('CLI_USAGE', 'the new secrets provider is empty')
  const stack = await session.requireStack()
  await changeSecretsProvider(session, stack, provider)
  session.printToStderr(`Changed the secrets provider of ${stack}.`)
  return 0
}
