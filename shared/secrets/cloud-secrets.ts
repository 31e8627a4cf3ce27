import { randomBytes } from 'node:crypto'
import { error } from '../errors/error.ts'
import type { SecretsManager } from './crypter.ts'
import { createKeyedDigest, createSymmetricCrypter } from './symmetric-crypter.ts'

/** A key kept elsewhere that seals data keys; one call opens all secrets of a stack. */
export interface KeyKeeper {
  /** Seals a data key under the key that `url` names. */
  readonly wrap: (url: string, key: Uint8Array) => Promise<Uint8Array>
  /** Opens a data key that was sealed so. */
  readonly unwrap: (url: string, sealed: Uint8Array) => Promise<Uint8Array>
}

const keyBytes = 32

/** Opened managers by their state: one call of the keeper per process. */
const opened = new WeakMap<KeyKeeper, Map<string, Promise<Uint8Array>>>()

/** A manager with a new data key, sealed by the keeper (docs/spec/secrets.md#cloud-manager). */
export async function createCloudManager(url: string, keeper: KeyKeeper): Promise<SecretsManager> {
  const key = randomBytes(keyBytes)
  const sealed = await keeper.wrap(url, key)
  return createManager(key, url, Buffer.from(sealed).toString('base64'))
}

/**
 * The manager of a URL and the sealed data key in base64, as state and stack file have them. Throws
 * SECRETS_MALFORMED, and what the keeper throws.
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
  const known = opened.get(keeper) ?? new Map<string, Promise<Uint8Array>>()
  opened.set(keeper, known)
  const name = `${url}\n${encryptedKey}`
  const opening = known.get(name) ?? unwrapDataKey(url, encryptedKey, keeper)
  known.set(name, opening)
  try {
    return await opening
  } catch (thrown) {
    // What failed once may be allowed later.
    known.delete(name)
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

/** Field names and their order are those of the state. */
function createManager(key: Uint8Array, url: string, encryptedKey: string): SecretsManager {
  return {
    type: 'cloud',
    state: { url, encryptedkey: encryptedKey },
    crypter: createSymmetricCrypter(key),
    digest: createKeyedDigest(key),
  }
}
