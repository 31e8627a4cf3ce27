import { randomBytes } from 'node:crypto'
import { createError } from '../errors/error.ts'
import type { SecretsManager } from './crypter.ts'
import { type AllowedKeys, requireAllowedKey, withKeyStack } from './key-stack.ts'
import type { ServiceStack } from './service-stack.ts'
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

/** Data keys by keeper, URL and ciphertext, so that a process decrypts each key only once. */
const openedKeys = new WeakMap<KeyKeeper, Map<string, Promise<Uint8Array>>>()

/** The key service that decrypts data keys, and the data keys that it may decrypt. */
export interface KeyOpener {
  readonly keeper: KeyKeeper
  readonly allowed: AllowedKeys
  /** Opens the manager of a stack whose keys a service keeps. Absent: services are refused. */
  readonly openService?: (stack: ServiceStack) => Promise<SecretsManager>
}

/**
 * Creates a manager with a new data key of a stack, encrypted by the keeper
 * (docs/spec/secrets.md#cloud-manager). The encryption context of a KMS URL names the stack. Throws
 * SECRETS_URL_INVALID, and the errors of the keeper.
 */
export async function createCloudManager(
  { url: keyUrl, stack }: { readonly url: string; readonly stack: string },
  keeper: KeyKeeper,
): Promise<SecretsManager> {
  const url = withKeyStack(keyUrl, stack)
  const key = randomBytes(keyBytes)
  const sealed = await keeper.wrap(url, key)
  return toCloudManager(key, url, Buffer.from(sealed).toString('base64'))
}

/**
 * Opens the manager that a key URL and an encrypted data key in base64 describe. States and stack
 * files contain both. A data key that is not allowed is refused before the keeper is called. Throws
 * SECRETS_STACK_DIFFERS, SECRETS_STACK_MISSING, SECRETS_MANAGER_UNSUPPORTED, SECRETS_URL_INVALID,
 * SECRETS_MALFORMED, and the errors of the keeper.
 */
export async function openCloudManager(
  { url, encryptedKey }: { readonly url: string; readonly encryptedKey: string },
  { keeper, allowed }: KeyOpener,
): Promise<SecretsManager> {
  requireAllowedKey(url, allowed)
  return toCloudManager(await openDataKey(url, encryptedKey, keeper), url, encryptedKey)
}

async function openDataKey(
  url: string,
  encryptedKey: string,
  keeper: KeyKeeper,
): Promise<Uint8Array> {
  const cachedKeys = openedKeys.get(keeper) ?? new Map<string, Promise<Uint8Array>>()
  openedKeys.set(keeper, cachedKeys)
  const cacheKey = `${url}\n${encryptedKey}`
  const dataKey = cachedKeys.get(cacheKey) ?? unwrapDataKey(url, encryptedKey, keeper)
  cachedKeys.set(cacheKey, dataKey)
  try {
    return await dataKey
  } catch (thrown) {
    // The service may allow a refused call later, so failures are not cached.
    cachedKeys.delete(cacheKey)
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
    throw createError('SECRETS_MALFORMED', 'the cloud manager of this state has no encrypted key')
  const key = await keeper.unwrap(url, sealed)
  if (key.length === keyBytes) return key
  throw createError(
    'SECRETS_MALFORMED',
    `the data key of this stack has ${key.length} bytes, not 32`,
  )
}

/** Creates the manager of a data key. Its `state` has Pulumi's field names in Pulumi's order. */
function toCloudManager(key: Uint8Array, url: string, encryptedKey: string): SecretsManager {
  return {
    type: 'cloud',
    state: { url, encryptedkey: encryptedKey },
    crypter: createSymmetricCrypter(key),
    digest: createKeyedDigest(key),
  }
}
