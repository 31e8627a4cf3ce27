import { error } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { CliSession } from '../session/session.ts'
import { openStateManager, ownKeysOf } from './stack-secrets.ts'

/**
 * Returns the function that decrypts the secrets of a stack's state. Throws SECRETS_MALFORMED for a
 * state without a secrets provider, and the errors of the provider.
 */
export async function openDecrypter(
  session: CliSession,
  id: StackId,
  state: StoredDeployment | undefined,
): Promise<(ciphertext: string) => string> {
  const manager =
    state === undefined ? undefined : await openStateManager(session, state, ownKeysOf(id))
  if (manager === undefined)
    throw error(
      'SECRETS_MALFORMED',
      'the state contains encrypted secrets but names no secrets provider',
    )
  return manager.crypter.decrypt
}
