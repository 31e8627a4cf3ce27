import { error } from '../errors/error.ts'
import { type KeyKeeper, openCloudManager } from './cloud-secrets.ts'
import type { SecretsManager } from './crypter.ts'
import { openPassphraseManager } from './passphrase-secrets.ts'
import { createKeyedDigest } from './symmetric-crypter.ts'

/** What a state says of the manager of its secrets. */
export interface StoredManager {
  readonly type: string
  readonly state?: unknown
}

/**
 * The manager that a state names; `keeper` opens those of AWS. Throws SECRETS_MANAGER_UNSUPPORTED
 * for one that is kept by a service, another cloud, or without a keeper, SECRETS_PASSPHRASE_WRONG,
 * SECRETS_PASSPHRASE_MISSING, SECRETS_MALFORMED, and what the keeper throws.
 */
export async function openManagerFromState(
  provider: StoredManager,
  passphrase: string | undefined,
  keeper?: KeyKeeper,
): Promise<SecretsManager> {
  if (provider.type === 'b64') return base64Manager
  if (provider.type === 'cloud' && keeper !== undefined) {
    const { url = '', encryptedkey = '' } = textFieldsOf(provider.state)
    if (url.startsWith('awskms://'))
      return openCloudManager({ url, encryptedKey: encryptedkey }, keeper)
  }
  if (provider.type !== 'passphrase')
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this state are kept by the manager '${provider.type}', which cannot be opened here`,
    )
  const salt = textFieldsOf(provider.state)['salt']
  if (salt === undefined)
    throw error('SECRETS_MALFORMED', 'the passphrase manager of this state has no salt')
  if (passphrase === undefined)
    throw error('SECRETS_PASSPHRASE_MISSING', 'the secrets of this state need a passphrase')
  return openPassphraseManager(salt, passphrase)
}

/**
 * A manager that could not be opened: it says what the state says, so that work without secrets
 * goes on, and throws SECRETS_PASSPHRASE_WRONG (a manager without passphrase:
 * SECRETS_MANAGER_UNSUPPORTED) at the first use.
 */
export function createLockedManager(provider: StoredManager): SecretsManager {
  const refuse = (): never => {
    if (provider.type === 'passphrase')
      throw error('SECRETS_PASSPHRASE_WRONG', 'the secrets of this stack are locked')
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this stack are kept by the manager '${provider.type}', which cannot be opened here`,
    )
  }
  return {
    type: provider.type,
    state: textFieldsOf(provider.state),
    crypter: { encrypt: refuse, decrypt: refuse },
    digest: refuse,
  }
}

/** Seals nothing: Pulumi's manager for test vectors (docs/spec/secrets.md#test-manager). */
const base64Manager: SecretsManager = {
  type: 'b64',
  state: {},
  crypter: {
    encrypt: plaintext => Buffer.from(plaintext, 'utf8').toString('base64'),
    decrypt: ciphertext => Buffer.from(ciphertext, 'base64').toString('utf8'),
  },
  digest: createKeyedDigest(new Uint8Array(32)),
}

function textFieldsOf(state: unknown): Readonly<Record<string, string>> {
  if (typeof state !== 'object' || state === null) return {}
  return Object.fromEntries(
    Object.entries(state).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  )
}
