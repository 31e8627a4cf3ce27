import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Headers of the signed form, for incoming webhooks and outgoing notifications. */
export const deliveryHeaders = {
  id: 'antichain-delivery',
  timestamp: 'antichain-timestamp',
  signature: 'antichain-signature',
} as const

/** Headers of the webhooks of Pulumi's service. The signature covers only the body. */
export const pulumiHeaders = {
  id: 'pulumi-webhook-id',
  kind: 'pulumi-webhook-kind',
  signature: 'pulumi-webhook-signature',
} as const

/** Returns the signature of a body at a time in seconds since 1970: HMAC SHA-256 in hexadecimal. */
export function signatureOf(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/** Returns the signature of a body alone, as GitHub does. */
export function bodySignatureOf(secret: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/** Returns the signature of Standard Webhooks in base64. `key`: the decoded signing secret. */
export function standardSignatureOf(
  key: Uint8Array,
  {
    id,
    timestamp,
    body,
  }: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
): string {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
}

/** Reports whether two texts are equal, in a time that does not depend on their contents. */
export function isSameText(received: string, expected: string): boolean {
  return isSameSignature(digestOf(received), digestOf(expected))
}

/** Reports whether two hexadecimal signatures are equal, in constant time. */
export function isSameSignature(received: string, expected: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(received)) return false
  return timingSafeEqual(Buffer.from(received, 'hex'), Buffer.from(expected, 'hex'))
}

/**
 * Returns the SHA-256 of the joined parts in hexadecimal, for keys that must not contain the parts.
 */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
