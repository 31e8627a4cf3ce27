import type { SecretsManager } from '../../../secrets/crypter.ts'
import { decodeResource, encodeResource, storedFormOf } from '../../../state/resource-codec.ts'
import { sealReusingCiphertexts } from '../../../state/seal-reusing-ciphertexts.ts'
import { createStringSharer } from '../../../state/stream/share-strings.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { StoredResource } from '../../../state/stored.ts'
import {
  decodeStoredMap,
  encodeStoredMap,
  type JsonObject,
  type SealPlaintext,
} from '../../../values/value-codec.ts'
import type { PropertyMap } from '../../../values/value.ts'

/** Conversion of states to and from their sealed form. Records have only sealed secrets (I8). */
export interface Sealing {
  /**
   * Returns the sealed form of a state. A secret keeps its ciphertext from the state `old` if `old`
   * has the same value at the same path.
   */
  readonly seal: (state: ResourceState, old?: ResourceState) => StoredResource
  /** Returns the state. Equal texts of opened states share their memory. */
  readonly open: (storedState: StoredResource) => ResourceState
  readonly sealMap: (map: PropertyMap) => JsonObject
  readonly openMap: (storedMap: JsonObject) => PropertyMap
}

/** Creates the sealing under a stack's secrets manager. */
export function createSealing(secrets: SecretsManager): Sealing {
  const { encrypt, decrypt } = secrets.crypter
  const seal: SealPlaintext = plaintext => ({ ciphertext: encrypt(plaintext) })
  const shareStrings = createStringSharer()
  return {
    seal: (state, old) => {
      const oldForm = old === undefined ? undefined : storedFormOf(old)
      return oldForm === undefined
        ? encodeResource(state, seal)
        : sealReusingCiphertexts(state, oldForm, secrets.crypter)
    },
    open(storedState) {
      shareStrings(storedState)
      return decodeResource(storedState, decrypt)
    },
    sealMap: map => encodeStoredMap(map, seal),
    openMap: storedMap => decodeStoredMap(storedMap, decrypt),
  }
}
