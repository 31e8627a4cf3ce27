import { signatureKey, signatures } from '../values/wire-options.ts'
import { isJsonObject } from './stored-fields.ts'
import type { Json } from './stored.ts'

/** Reports whether a stored value contains a secret without ciphertext, at any depth. */
export function containsPlaintextSecret(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(containsPlaintextSecret)
  if (!isJsonObject(value)) return false
  if (value[signatureKey] === signatures.secret) return typeof value['ciphertext'] !== 'string'
  return Object.values(value).some(containsPlaintextSecret)
}
