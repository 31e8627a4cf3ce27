import type { SecretsManager } from '../../secrets/crypter.ts'
import { decodeResource, encodeResource } from '../../state/codec.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { StoredResource } from '../../state/stored.ts'

/** States to and from their sealed form (I8). */
export interface Sealing {
  readonly seal: (state: ResourceState) => StoredResource
  readonly open: (stored: StoredResource) => ResourceState
}

/** Seals under a stack's secrets manager. */
export function createSealing(secrets: SecretsManager): Sealing {
  const { encrypt, decrypt } = secrets.crypter
  return {
    seal: state => encodeResource(state, plaintext => ({ ciphertext: encrypt(plaintext) })),
    open: stored => decodeResource(stored, decrypt),
  }
}
