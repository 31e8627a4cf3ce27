import { signatureKey, signatures } from '../values/wire-options.ts'

/** Returns the ciphertexts of all encrypted secrets in the stored form of a state or value. */
export function listCiphertexts(data: unknown): readonly string[] {
  const ciphertexts: string[] = []
  const collect = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) return
    const isSecret =
      'ciphertext' in item &&
      typeof item.ciphertext === 'string' &&
      signatureKey in item &&
      item[signatureKey] === signatures.secret
    if (isSecret) ciphertexts.push(String(item.ciphertext))
    else for (const child of Object.values(item)) collect(child)
  }
  collect(data)
  return ciphertexts
}

/** Reports whether a state or value contains an encrypted secret. */
export function containsCiphertext(data: unknown): boolean {
  return listCiphertexts(data).length > 0
}
