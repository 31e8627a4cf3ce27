import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Length of a sealing key in bytes. */
export const sealingKeyBytes = 32

/** Seals a text: nonce, tag and ciphertext. `context` is authenticated with it. */
export function sealText(key: Uint8Array, text: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/**
 * Opens a text of `sealText`. Throws an error without details, and never returns an unauthenticated
 * part.
 */
export function openText(key: Uint8Array, sealed: Uint8Array, context: string): string {
  const textAt = nonceBytes + tagBytes
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), options)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(nonceBytes, textAt))
  return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString(
    'utf8',
  )
}
