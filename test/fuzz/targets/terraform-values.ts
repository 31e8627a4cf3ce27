import { decodeCtyJson } from '../../../shared/providers/terraform/values/decode-json.ts'
import { decodeMsgpack } from '../../../shared/providers/terraform/values/decode-msgpack.ts'
import { encodeCtyJson } from '../../../shared/providers/terraform/values/encode-json.ts'
import { encodeMsgpack } from '../../../shared/providers/terraform/values/encode-msgpack.ts'
import { areEqualRaw } from '../../../shared/providers/terraform/values/raw-equality.ts'
import { isWhollyKnown } from '../../../shared/providers/terraform/values/cty-value.ts'
import { parseTypeJson } from '../../../shared/providers/terraform/values/type-json.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

/**
 * Values of Terraform: a line with the type in JSON, a line `json` or `msgpack`, and the value.
 */
export const terraformValuesTarget: FuzzTarget = {
  decode(input) {
    const bytes = Buffer.from(input)
    const typeEnd = Math.max(0, bytes.indexOf(10))
    const formEnd = Math.max(typeEnd, bytes.indexOf(10, typeEnd + 1))
    const type = parseTypeJson(bytes.toString('utf8', 0, typeEnd))
    const payload = bytes.subarray(formEnd + 1)
    const isJson = bytes.toString('utf8', typeEnd + 1, formEnd) === 'json'
    const value = isJson
      ? decodeCtyJson(payload.toString('utf8'), type)
      : decodeMsgpack(payload, type)
    const packed = encodeMsgpack(value, type)
    requireLaw(areEqualRaw(decodeMsgpack(packed, type), value), 'MessagePack keeps a value')
    if (!isWhollyKnown(value)) return
    const text = encodeCtyJson(value, type)
    requireLaw(areEqualRaw(decodeCtyJson(text, type), value), 'JSON keeps a known value')
  },
}
