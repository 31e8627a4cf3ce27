import { createHash } from 'node:crypto'
import { formatGoJson } from '../../../values/go-json.ts'
import { encodeStoredMap } from '../../../values/value-codec.ts'
import { type PropertyMap, type PropertyValue, isList, isMap } from '../../../values/value.ts'
import { stripSecretsInMap } from '../../../values/special-values.ts'

/**
 * Returns the SHA-256 of outputs in hex. It ignores the order of keys, secrecy, nulls in objects,
 * and outputs whose name begins with `__`.
 */
export function digestOutputs(outputs: PropertyMap): string {
  const digestedOutputs = new Map(
    [...stripSecretsInMap(outputs)].filter(([name]) => !name.startsWith('__')),
  )
  const json = encodeStoredMap(dropNulls(digestedOutputs), plaintext => ({ plaintext }))
  return createHash('sha256').update(formatGoJson(json)).digest('hex')
}

function dropNulls(map: PropertyMap): PropertyMap {
  return new Map(
    [...map].flatMap(([key, item]) =>
      item === null ? [] : [[key, dropNullsWithin(item)] as const],
    ),
  )
}

function dropNullsWithin(value: PropertyValue): PropertyValue {
  if (isMap(value)) return dropNulls(value)
  return isList(value) ? value.map(dropNullsWithin) : value
}
