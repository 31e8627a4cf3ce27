import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { createError } from '../errors/error.ts'
import type { Crypter } from './crypter.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Creates an AES-256-GCM crypter with Pulumi's text format `v1:<nonce>:<sealed>`
 * (docs/spec/secrets.md#symmetric-crypter). `key` has 32 bytes.
 */
export function createSymmetricCrypter(key: Uint8Array): Crypter {
  const keyObject = createSecretKey(key)
  const nextNonce = createNonces()
  return {
    encrypt(plaintext) {
      const nonce = nextNonce()
      const cipher = createCipheriv(algorithm, keyObject, nonce)
      const sealed = Buffer.concat([
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `v1:${nonce.toString('base64')}:${sealed.toString('base64')}`
    },
    decrypt(ciphertext) {
      const [version, nonce = '', sealed = '', ...extraParts] = ciphertext.split(':')
      const iv = Buffer.from(nonce, 'base64')
      const bytes = Buffer.from(sealed, 'base64')
      if (
        version !== 'v1' ||
        extraParts.length > 0 ||
        iv.length !== nonceBytes ||
        bytes.length < tagBytes
      )
        throw createError(
          'SECRETS_MALFORMED',
          'a ciphertext does not have the form v1:<nonce>:<sealed>',
        )
      try {
        const decipher = createDecipheriv(algorithm, keyObject, iv)
        decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
        const plaintextBytes = Buffer.concat([
          decipher.update(bytes.subarray(0, bytes.length - tagBytes)),
          decipher.final(),
        ])
        return plaintextBytes.toString('utf8')
      } catch (cause) {
        throw createError(
          'SECRETS_MALFORMED',
          'a ciphertext cannot be decrypted with the key of this stack',
          { cause },
        )
      }
    },
  }
}

/**
 * Creates a source of random nonces, each used once. The source draws many nonces at a time,
 * because one draw costs as much as an encryption.
 */
function createNonces(): () => Buffer {
  const noncesPerDraw = 256
  let pool = Buffer.alloc(0)
  return () => {
    if (pool.length === 0) pool = randomBytes(noncesPerDraw * nonceBytes)
    const nonce = pool.subarray(0, nonceBytes)
    pool = pool.subarray(nonceBytes)
    return nonce
  }
}

/**
 * Creates a keyed digest function. Its key is derived from the encryption key, so digests reveal
 * nothing about that key.
 */
export function createKeyedDigest(key: Uint8Array): (text: string) => string {
  const subkeyBytes = hkdfSync('sha256', key, new Uint8Array(0), 'antichain digest', 32)
  // Node would convert the bytes to such an object again for each digest, which takes longer.
  const subkey = createSecretKey(new Uint8Array(subkeyBytes))
  return text => createHmac('sha256', subkey).update(text).digest('hex')
}
