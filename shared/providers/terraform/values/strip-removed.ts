import {
  type LosslessJson,
  formatLosslessJson,
  isLosslessArray,
  isLosslessObject,
  parseLosslessJson,
} from './lossless-json.ts'
import type { CtyType } from './type-system.ts'

/**
 * Returns the JSON of a stored object without the attributes that its type no longer has. A part of
 * a dynamic or tuple type stays unchanged. Returns undefined for invalid JSON.
 */
export function stripRemovedAttributes(text: string, type: CtyType): string | undefined {
  const json = parseLosslessJson(text)
  return json === undefined ? undefined : formatLosslessJson(strip(json, type))
}

function strip(json: LosslessJson, type: CtyType): LosslessJson {
  switch (type.kind) {
    case 'list':
    case 'set':
      return isLosslessArray(json) ? json.map(item => strip(item, type.element)) : json
    case 'map':
      return isLosslessObject(json)
        ? new Map([...json].map(([key, item]) => [key, strip(item, type.element)]))
        : json
    case 'object':
      return isLosslessObject(json)
        ? new Map(
            [...json].flatMap(([name, item]) => {
              const attribute = type.attributes.get(name.normalize('NFC'))
              return attribute === undefined ? [] : [[name, strip(item, attribute)] as const]
            }),
          )
        : json
    default:
      return json
  }
}
