import type { Crypter } from '../secrets/crypter.ts'
import { signatureKey, signatures } from '../values/wire-options.ts'
import { encodeResource } from './resource-codec.ts'
import type { ResourceState } from './resource.ts'
import { isJsonObject } from './stored-fields.ts'
import type { Json, StoredResource } from './stored.ts'

/**
 * Encodes a state, and encrypts its secrets. If `old` has the same secret at the same path, its
 * ciphertext is used again. So two encoded states differ only where their values differ. A
 * ciphertext is never used at another path. `crypter` decrypts `old`. Throws SECRETS_MALFORMED.
 */
export function sealReusingCiphertexts(
  state: ResourceState,
  old: StoredResource,
  crypter: Crypter,
): StoredResource {
  // Here the field `ciphertext` contains the plaintext. `sealJson` replaces it by the ciphertext.
  const unsealed = encodeResource(state, plaintext => ({ ciphertext: plaintext }))
  const sealField = (field: string): { readonly [name: string]: Json } => {
    const value = unsealed[field]
    return value === undefined ? {} : { [field]: sealJson(value, old[field], crypter) }
  }
  return {
    ...unsealed,
    ...sealField('inputs'),
    ...sealField('outputs'),
    ...sealField('replacementTrigger'),
  }
}

function sealJson(json: Json, old: Json | undefined, crypter: Crypter): Json {
  if (Array.isArray(json)) {
    const oldItems: readonly Json[] = Array.isArray(old) ? old : []
    return json.map((item: Json, index) => sealJson(item, oldItems[index], crypter))
  }
  if (!isJsonObject(json)) return json
  const { ciphertext: plaintext } = json
  if (json[signatureKey] === signatures.secret && typeof plaintext === 'string') {
    const oldCiphertext = ciphertextOf(old)
    const isUnchanged = oldCiphertext !== undefined && crypter.decrypt(oldCiphertext) === plaintext
    return { ...json, ciphertext: isUnchanged ? oldCiphertext : crypter.encrypt(plaintext) }
  }
  const oldFields = isJsonObject(old) ? old : {}
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [
      key,
      sealJson(item, Object.hasOwn(oldFields, key) ? oldFields[key] : undefined, crypter),
    ]),
  )
}

function ciphertextOf(json: Json | undefined): string | undefined {
  if (!isJsonObject(json) || json[signatureKey] !== signatures.secret) return undefined
  const { ciphertext } = json
  return typeof ciphertext === 'string' && ciphertext !== '' ? ciphertext : undefined
}
