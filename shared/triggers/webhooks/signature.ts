import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Headers of the signed form, for webhooks that come and notifications that go. */
export const signedHeaders = {
  id: 'antichain-delivery',
  timestamp: 'antichain-timestamp',
  signature: 'antichain-signature',
} as const

/** The signature of a body at a time in seconds since 1970: hex of HMAC SHA-256. */
export function signatureOf(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/** The signature of a body alone, as GitHub makes it. */
export function bodySignatureOf(secret: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/**
 * Whether two signatures in hex are the same, in a time that does not depend on where they differ.
 */
export function isSameSignature(received: string, expected: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(received)) return false
  return timingSafeEqual(Buffer.from(received, 'hex'), Buffer.from(expected, 'hex'))
}

/** Hex SHA-256, for keys that must not hold what they stand for. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
