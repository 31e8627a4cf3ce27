import { toExactNumber } from '../config/config-tree.ts'
import { keepIntegerDigits } from '../project/yaml-source.ts'

/** A value of an environment. With `isSecret`, a list or map and all its parts are secret. */
export interface EnvironmentValue {
  readonly isSecret: boolean
  readonly content:
    | null
    | boolean
    | number
    | bigint
    | string
    | readonly EnvironmentValue[]
    | ReadonlyMap<string, EnvironmentValue>
}

/** The value of an empty environment. */
export const emptyEnvironment: EnvironmentValue = { isSecret: false, content: new Map() }

/** Returns the fields of a map, or undefined for any other value. */
export function fieldsOf(
  value: EnvironmentValue | undefined,
): ReadonlyMap<string, EnvironmentValue> | undefined {
  return value?.content instanceof Map ? value.content : undefined
}

/** Returns the items of a list, or undefined for any other value. */
export function listItemsOf(value: EnvironmentValue): readonly EnvironmentValue[] | undefined {
  return Array.isArray(value.content) ? value.content : undefined
}

/** Merges two values: maps field by field, and otherwise `next` replaces `base`. */
export function mergeValues(
  base: EnvironmentValue | undefined,
  next: EnvironmentValue,
): EnvironmentValue {
  const [baseFields, nextFields] = [fieldsOf(base), fieldsOf(next)]
  if (base === undefined || baseFields === undefined || nextFields === undefined) return next
  const merged = new Map(baseFields)
  for (const [key, field] of nextFields) merged.set(key, mergeValues(baseFields.get(key), field))
  return { isSecret: base.isSecret || next.isSecret, content: merged }
}

/** Reports whether a value or one of its parts is secret. */
export function hasSecretPart(value: EnvironmentValue): boolean {
  if (value.isSecret) return true
  const parts = listItemsOf(value) ?? fieldsOf(value)?.values() ?? []
  return [...parts].some(hasSecretPart)
}

/** Returns a value as plain data. Integers that a number would round are bigint. */
export function toPlainData(value: EnvironmentValue): unknown {
  const [items, fields] = [listItemsOf(value), fieldsOf(value)]
  if (items !== undefined) return items.map(toPlainData)
  if (fields !== undefined)
    return Object.fromEntries([...fields].map(([key, field]) => [key, toPlainData(field)]))
  return typeof value.content === 'bigint' ? toExactNumber(value.content) : value.content
}

/** Returns plain data as a value. */
export function toEnvironmentValue(data: unknown, isSecret: boolean): EnvironmentValue {
  if (Array.isArray(data))
    return { isSecret, content: data.map(item => toEnvironmentValue(item, isSecret)) }
  if (typeof data === 'object' && data !== null) {
    const entries = data instanceof Map ? [...data] : Object.entries(data)
    const fields = entries.map(
      ([key, item]) => [String(key), toEnvironmentValue(item, isSecret)] as const,
    )
    return { isSecret, content: new Map(fields) }
  }
  return { isSecret, content: isScalar(data) ? data : null }
}

/** Returns a value as JSON. Integers keep all their digits. */
export function formatValueAsJson(value: EnvironmentValue): string {
  return JSON.stringify(toPlainData(value), keepIntegerDigits)
}

/** Returns the text of a value: of a scalar as it is, of a map or list as JSON. */
export function textOfValue(value: EnvironmentValue): string {
  const { content } = value
  if (content === null) return ''
  return typeof content === 'object' ? formatValueAsJson(value) : String(content)
}

function isScalar(data: unknown): data is boolean | number | bigint | string {
  return ['boolean', 'number', 'bigint', 'string'].includes(typeof data)
}

/**
 * Returns the size of a value: the characters of its texts and keys, and a few for each part. The
 * size is infinite above `levelsMax` levels, because recursive functions could overflow the call
 * stack.
 */
export function sizeOfValue(value: EnvironmentValue, levelsMax = environmentDepthMax): number {
  if (levelsMax === 0) return Infinity
  const [items, fields] = [listItemsOf(value), fieldsOf(value)]
  const textSize = typeof value.content === 'string' ? value.content.length : 0
  const keySize = [...(fields?.keys() ?? [])].reduce((sum, key) => sum + key.length, 0)
  const parts = [...(items ?? fields?.values() ?? [])]
  return parts.reduce(
    (sum, part) => sum + sizeOfValue(part, levelsMax - 1),
    partSize + textSize + keySize,
  )
}

/** Maximum number of levels of a value that a reference or a function produces. */
export const environmentDepthMax = 300

const partSize = 10
