import { error } from '../errors/error.ts'
import type { SecretsManager } from './crypter.ts'
import { openPassphraseManager } from './passphrase.ts'

/**
 * The manager that a state names. Throws SECRETS_MANAGER_UNSUPPORTED for one that is kept by a
 * service or a cloud, SECRETS_PASSPHRASE_WRONG, SECRETS_PASSPHRASE_MISSING.
 */
export async function managerFromState(
  provider: { readonly type: string; readonly state?: unknown },
  passphrase: string | undefined,
): Promise<SecretsManager> {
  if (provider.type !== 'passphrase')
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this state are kept by the manager '${provider.type}', which cannot be opened here`,
    )
  const { state } = provider
  const salt =
    typeof state === 'object' && state !== null && 'salt' in state ? state.salt : undefined
  if (typeof salt !== 'string')
    throw error('SECRETS_MALFORMED', 'the passphrase manager of this state has no salt')
  if (passphrase === undefined)
    throw error('SECRETS_PASSPHRASE_MISSING', 'the secrets of this state need a passphrase')
  return openPassphraseManager(salt, passphrase)
}
