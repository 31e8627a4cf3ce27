import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Length of a sealing key in bytes. */
export const sealingKeyBytes = 32

/** Seals a text as nonce, tag and ciphertext. The tag also authenticates `context`. */
export function sealText(key: Uint8Array, text: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/**
 * Opens a text that `sealText` sealed. Throws when the key, the context or the text is wrong. Never
 * returns an unauthenticated part of the text.
 */
export function openText(key: Uint8Array, sealedBytes: Uint8Array, context: string): string {
  const ciphertextOffset = nonceBytes + tagBytes
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv(algorithm, key, sealedBytes.subarray(0, nonceBytes), options)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealedBytes.subarray(nonceBytes, ciphertextOffset))
  return Buffer.concat([
    decipher.update(sealedBytes.subarray(ciphertextOffset)),
    decipher.final(),
  ]).toString('utf8')
}
