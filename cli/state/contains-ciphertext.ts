import { signatureKey, signatures } from '../../shared/values/wire-options.ts'

/** Reports whether a state contains an encrypted secret. */
export function containsCiphertext(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  const isSecret =
    'ciphertext' in data &&
    typeof data.ciphertext === 'string' &&
    signatureKey in data &&
    data[signatureKey] === signatures.secret
  return isSecret || Object.values(data).some(containsCiphertext)
}
