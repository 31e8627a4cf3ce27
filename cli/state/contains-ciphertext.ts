import { listCiphertexts } from '../../shared/state/list-ciphertexts.ts'

/** Reports whether a state contains an encrypted secret. */
export function containsCiphertext(data: unknown): boolean {
  return listCiphertexts(data).length > 0
}
