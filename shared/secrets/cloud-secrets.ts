import { randomBytes } from 'node:crypto'
import { error } from '../errors/error.ts'
import type { SecretsManager } from './crypter.ts'
import { createKeyedDigest, createSymmetricCrypter } from './symmetric-crypter.ts'

/**
 * An external key service that encrypts data keys. One call decrypts the data key for all secrets
 * of a stack.
 */
export interface KeyKeeper {
  /** Encrypts a data key with the key at `url`. */
  readonly wrap: (url: string, key: Uint8Array) => Promise<Uint8Array>
  /** Decrypts a data key that `wrap` encrypted. */
  readonly unwrap: (url: string, sealed: Uint8Array) => Promise<Uint8Array>
}

const keyBytes = 32

/**
 * Decrypted data keys, by keeper, URL and ciphertext. Each process calls the service once per key.
 */
const openedKeys = new WeakMap<KeyKeeper, Map<string, Promise<Uint8Array>>>()

/**
 * Creates a manager with a new data key, encrypted by the keeper
 * (docs/spec/secrets.md#cloud-manager).
 */
export async function createCloudManager(url: string, keeper: KeyKeeper): Promise<SecretsManager> {
  const key = randomBytes(keyBytes)
  const sealed = await keeper.wrap(url, key)
  return createManager(key, url, Buffer.from(sealed).toString('base64'))
}

/**
 * Opens the manager of a URL and its encrypted data key in base64, as in state and stack file.
 * Throws SECRETS_MALFORMED, and the errors of the keeper.
 */
export async function openCloudManager(
  state: { readonly url: string; readonly encryptedKey: string },
  keeper: KeyKeeper,
): Promise<SecretsManager> {
  const { url, encryptedKey } = state
  return createManager(await openDataKey(url, encryptedKey, keeper), url, encryptedKey)
}

async function openDataKey(
  url: string,
  encryptedKey: string,
  keeper: KeyKeeper,
): Promise<Uint8Array> {
  const keysByName = openedKeys.get(keeper) ?? new Map<string, Promise<Uint8Array>>()
  openedKeys.set(keeper, keysByName)
  const cacheKey = `${url}\n${encryptedKey}`
  const dataKey = keysByName.get(cacheKey) ?? unwrapDataKey(url, encryptedKey, keeper)
  keysByName.set(cacheKey, dataKey)
  try {
    return await dataKey
  } catch (thrown) {
    // The service may allow a refused call later, so failures are not cached.
    keysByName.delete(cacheKey)
    throw thrown
  }
}

async function unwrapDataKey(
  url: string,
  encryptedKey: string,
  keeper: KeyKeeper,
): Promise<Uint8Array> {
  const sealed = Buffer.from(encryptedKey, 'base64')
  if (sealed.length === 0)
    throw error('SECRETS_MALFORMED', 'the cloud manager of this state has no encrypted key')
  const key = await keeper.unwrap(url, sealed)
  if (key.length === keyBytes) return key
  throw error('SECRETS_MALFORMED', `the data key of this stack has ${key.length} bytes, not 32`)
}

/** Creates the manager of a data key. Its `state` has Pulumi's field names in Pulumi's order. */
function createManager(key: Uint8Array, url: string, encryptedKey: string): SecretsManager {
  return {
    type: 'cloud',
    state: { url, encryptedkey: encryptedKey },
    crypter: createSymmetricCrypter(key),
    digest: createKeyedDigest(key),
  }
}
