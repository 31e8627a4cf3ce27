import {
  listOf,
  mapOf,
  objectOfType,
  setOf,
  tupleOf,
} from '../../../shared/providers/terraform/values/build-value.ts'
import { parseCtyNumber } from '../../../shared/providers/terraform/values/cty-number.ts'
import {
  type CtyValue,
  boolOf,
  nullOf,
  numberOf,
  stringOf,
} from '../../../shared/providers/terraform/values/cty-value.ts'
import { readTypeJson } from '../../../shared/providers/terraform/values/type-json.ts'
import type { CtyType } from '../../../shared/providers/terraform/values/type-system.ts'
import { unknownOf } from '../../../shared/providers/terraform/values/unknown-value.ts'

/** A value in the log of the test provider. */
export type RecordedValue =
  | null
  | boolean
  | number
  | string
  | readonly RecordedValue[]
  | { readonly [key: string]: RecordedValue }

type RecordedObject = { readonly [key: string]: RecordedValue }

/**
 * Converts a value of a type. A record omits the null attributes of a whole resource. Throws when
 * the value does not have the type.
 */
export function readRecordedValue(recorded: RecordedValue, type: CtyType): CtyValue {
  if (recorded === null) return nullOf(type)
  if (isRecordedObject(recorded)) {
    if ('$unknown' in recorded) return unknownOf(type)
    if ('$type' in recorded)
      return readRecordedValue(recorded['value'] ?? null, readTypeJson(recorded['$type']))
    const { $num: digits } = recorded
    if (typeof digits === 'string') return readNumber(digits)
  }
  switch (type.kind) {
    case 'string':
      if (typeof recorded === 'string') return stringOf(recorded)
      break
    case 'bool':
      if (typeof recorded === 'boolean') return boolOf(recorded)
      break
    case 'number':
      if (typeof recorded === 'number') return readNumber(String(recorded))
      break
    case 'list':
    case 'set': {
      if (!isRecordedList(recorded)) break
      const elements = recorded.map(item => readRecordedValue(item, type.element))
      return type.kind === 'set' ? setOf(elements, type.element) : listOf(elements, type.element)
    }
    case 'tuple':
      if (!isRecordedList(recorded)) break
      return tupleOf(
        type.elements.map((element, index) => readRecordedValue(recorded[index] ?? null, element)),
      )
    case 'map': {
      if (!isRecordedObject(recorded)) break
      const entries = Object.entries(recorded).map(
        ([key, item]) => [key, readRecordedValue(item, type.element)] as const,
      )
      return mapOf(entries, type.element)
    }
    case 'object': {
      if (!isRecordedObject(recorded)) break
      const surplus = Object.keys(recorded).find(name => !type.attributes.has(name))
      if (surplus !== undefined) throw new Error(`the schema has no attribute '${surplus}'`)
      return objectOfType(type, (name, attribute) =>
        readRecordedValue(recorded[name] ?? null, attribute),
      )
    }
    case 'dynamic':
      break
  }
  throw new Error(`a recorded value is no ${type.kind}: ${JSON.stringify(recorded)}`)
}

function readNumber(text: string): CtyValue {
  const number = parseCtyNumber(text)
  if (number === undefined) throw new Error(`a recorded number is malformed: ${text}`)
  return numberOf(number)
}

function isRecordedList(value: RecordedValue): value is readonly RecordedValue[] {
  return Array.isArray(value)
}

function isRecordedObject(value: RecordedValue): value is RecordedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
