import type { SecretsManager } from './crypter.ts'

/**
 * Fetches the ciphertexts that an encoding needs, in batches. `encode` runs once with a manager
 * that only collects plaintexts, and its result is dropped. Does nothing for a manager that sends
 * no requests. Throws the errors of `encode` and of the manager.
 */
export async function prepareToSeal(
  manager: SecretsManager,
  encode: (collector: SecretsManager) => unknown,
): Promise<void> {
  if (manager.prepare === undefined) return
  const plaintexts: string[] = []
  const encrypt = (plaintext: string): string => {
    plaintexts.push(plaintext)
    return plaintext
  }
  await encode({ ...manager, crypter: { ...manager.crypter, encrypt } })
  await manager.prepare({ ciphertexts: [], plaintexts })
}
