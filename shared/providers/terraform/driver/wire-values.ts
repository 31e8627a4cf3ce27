import type { MsgpackValue, ReceivedValue } from '../client/terraform-client.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import { decodeCtyJson } from '../values/decode-json.ts'
import { decodeMsgpack } from '../values/decode-msgpack.ts'
import { encodeMsgpack } from '../values/encode-msgpack.ts'
import type { CtyType } from '../values/type-system.ts'
import type { ResourceType } from './terraform-package.ts'

/** Encodes a value for a request. The value must conform to the type. */
export function encodeValue(value: CtyValue, type: CtyType): MsgpackValue {
  return { msgpack: encodeMsgpack(value, type) }
}

/**
 * Decodes a value of a response. An absent value is the null of the type. Throws
 * TERRAFORM_PROVIDER_BUG for a value of another type.
 */
export function decodeValue(received: ReceivedValue, type: CtyType): CtyValue {
  if (received === undefined) return nullOf(type)
  return 'msgpack' in received
    ? decodeMsgpack(received.msgpack, type)
    : decodeCtyJson(new TextDecoder().decode(received.json), type)
}

/**
 * Encodes an identity for a request. Returns undefined if the object has no identity, or if its
 * type has no identity schema.
 */
export function encodeIdentity(
  { identity }: ResourceType,
  value: CtyValue | undefined,
): MsgpackValue | undefined {
  return identity === undefined || value === undefined
    ? undefined
    : encodeValue(value, identity.type)
}
