import { isJsonObject } from './stored-fields.ts'
import type { Json } from './stored.ts'

/** The public fields of a secrets manager, as a state stores them. */
interface ManagerFields {
  readonly type: string
  readonly state?: Json
}

/**
 * Reports whether two secrets managers have one key: the same salt, or the same encrypted data key.
 * Other fields are not compared, because the URLs of one key may differ.
 */
export function haveSameKey(left: ManagerFields, right: ManagerFields): boolean {
  if (left.type !== right.type) return false
  const { salt, encryptedkey } = isJsonObject(left.state) ? left.state : {}
  const otherFields = isJsonObject(right.state) ? right.state : {}
  const isSame = (field: Json | undefined, otherField: Json | undefined): boolean =>
    field !== undefined && field === otherField
  return isSame(salt, otherFields['salt']) || isSame(encryptedkey, otherFields['encryptedkey'])
}
