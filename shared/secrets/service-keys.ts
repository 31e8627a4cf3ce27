import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { createError } from '../errors/error.ts'
import type { Crypter, SecretsManager } from './crypter.ts'
import { createKeyedDigest } from './symmetric-crypter.ts'

const algorithm = 'aes-256-gcm'
const formatVersion = 1
const idBytes = 8
const nonceBytes = 12
const tagBytes = 16
const headerBytes = 1 + idBytes

/** Length of a data key in bytes. */
const serviceKeyBytes = 32

/** A data key of a stack. Its id is in every ciphertext, and never changes. */
export interface ServiceKey {
  /** 16 hex digits. */
  readonly id: string
  readonly key: Uint8Array
}

/** Returns a new data key. */
export function createServiceKey(): ServiceKey {
  return { id: randomBytes(idBytes).toString('hex'), key: randomBytes(serviceKeyBytes) }
}

/**
 * Creates the crypter of a stack for the secrets manager `service`. Ciphertexts are base64 of
 * version, key id, nonce, sealed bytes and tag. `keys` has at least one key, and the last key
 * encrypts. `decrypt` throws SECRETS_MALFORMED for ciphertexts of other stacks and other services.
 */
export function createServiceCrypter(keys: readonly ServiceKey[]): Crypter {
  const keyObjects = new Map<string, KeyObject>(
    keys.map(({ id, key }) => [id, createSecretKey(key)]),
  )
  const currentId = keys.at(-1)?.id ?? ''
  const requireKey = (id: string): KeyObject => {
    const keyObject = keyObjects.get(id)
    if (keyObject !== undefined) return keyObject
    throw createError(
      'SECRETS_MALFORMED',
      'a ciphertext was encrypted for another stack or service',
    )
  }
  return {
    encrypt(plaintext) {
      const header = Buffer.from([formatVersion, ...Buffer.from(currentId, 'hex')])
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, requireKey(currentId), nonce).setAAD(header)
      const sealed = [cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat([header, nonce, ...sealed]).toString('base64')
    },
    decrypt(ciphertext) {
      const bytes = Buffer.from(ciphertext, 'base64')
      if (bytes[0] !== formatVersion || bytes.length < headerBytes + nonceBytes + tagBytes)
        throw createError(
          'SECRETS_MALFORMED',
          'a ciphertext does not have the form of this service',
        )
      const header = bytes.subarray(0, headerBytes)
      const keyObject = requireKey(header.subarray(1).toString('hex'))
      const nonce = bytes.subarray(headerBytes, headerBytes + nonceBytes)
      const sealed = bytes.subarray(headerBytes + nonceBytes, bytes.length - tagBytes)
      try {
        const decipher = createDecipheriv(algorithm, keyObject, nonce, { authTagLength: tagBytes })
        decipher.setAAD(header).setAuthTag(bytes.subarray(bytes.length - tagBytes))
        return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw createError('SECRETS_MALFORMED', 'a ciphertext was changed', { cause })
      }
    },
  }
}

/** Creates the secrets manager `service` of a stack. `state` is its public state. */
export function createServiceManager(
  keys: readonly ServiceKey[],
  state: SecretsManager['state'],
): SecretsManager {
  // The first key derives the digests, so that a further key does not change them.
  const digestKey = keys[0]?.key ?? new Uint8Array(serviceKeyBytes)
  return {
    type: 'service',
    state,
    crypter: createServiceCrypter(keys),
    digest: createKeyedDigest(digestKey),
  }
}
