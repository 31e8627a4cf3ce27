import { createError } from '../errors/error.ts'
import { type KeyOpener, openCloudManager } from './cloud-secrets.ts'
import type { SecretsManager } from './crypter.ts'
import { isKeyUrl } from './key-url.ts'
import { openPassphraseManager } from './passphrase-secrets.ts'
import { saltHint } from './salt-hint.ts'
import { parseServiceState } from './service-stack.ts'
import { createKeyedDigest } from './symmetric-crypter.ts'

/** The description of a secrets manager in a state. */
export interface StoredManager {
  readonly type: string
  readonly state?: unknown
}

/** Reports whether a state may name managers of this type. */
export function isKnownManagerType(type: string): boolean {
  return ['b64', 'cloud', 'passphrase', 'service'].includes(type)
}

/**
 * Opens the manager of a state. `opener` decrypts the data keys of cloud managers, and opens
 * services. Throws SECRETS_MANAGER_UNSUPPORTED for an unknown manager, and for a manager that
 * `opener` cannot open. Also throws SECRETS_PASSPHRASE_WRONG, SECRETS_PASSPHRASE_MISSING,
 * SECRETS_MALFORMED, and the errors of `openCloudManager`.
 */
export async function openManagerFromState(
  storedManager: StoredManager,
  passphrase: string | undefined,
  opener?: KeyOpener,
): Promise<SecretsManager> {
  if (storedManager.type === 'b64') return base64Manager
  if (storedManager.type === 'cloud' && opener !== undefined) {
    const { url = '', encryptedkey = '' } = textFieldsOf(storedManager.state)
    if (isKeyUrl(url)) return openCloudManager({ url, encryptedKey: encryptedkey }, opener)
  }
  if (storedManager.type === 'service' && opener?.openService !== undefined)
    return opener.openService(parseServiceState(storedManager.state))
  if (storedManager.type !== 'passphrase')
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets of this state use the manager '${storedManager.type}', which is not supported here`,
    )
  const salt = textFieldsOf(storedManager.state)['salt']
  if (salt === undefined)
    throw createError('SECRETS_MALFORMED', 'the passphrase manager of this state has no salt', {
      hint: saltHint,
    })
  if (passphrase === undefined)
    throw createError('SECRETS_PASSPHRASE_MISSING', 'the secrets of this state need a passphrase')
  return openPassphraseManager(salt, passphrase)
}

/**
 * A manager without encryption: Pulumi's manager for test vectors
 * (docs/spec/secrets.md#test-manager).
 */
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
