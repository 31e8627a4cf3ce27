import { listOf, mapOf, objectOfType, setOf, tupleOf } from './build-value.ts'
import { parseCtyNumber } from './cty-number.ts'
import { type CtyPath, createAttributeStep, createIndexStep, createKeyStep } from './cty-path.ts'
import {
  type CollectionType,
  type CtyType,
  type ObjectType,
  type TupleType,
  describeType,
} from './type-system.ts'
import { type CtyValue, boolOf, nullOf, numberOf, stringOf } from './cty-value.ts'
import {
  type LosslessJson,
  type LosslessObject,
  isLosslessArray,
  isLosslessObject,
  parseLosslessJson,
} from './lossless-json.ts'
import { checkDepth, createProviderBug } from './provider-bug.ts'
import { readLosslessType } from './type-json.ts'

/**
 * Decodes the JSON form of a value of a declared type. Missing attributes are null. Texts are
 * accepted as numbers and bools, and vice versa, because states of old providers have them. Throws
 * TERRAFORM_PROVIDER_BUG, usually with the path of the wrong part.
 */
export function decodeCtyJson(text: string, declared: CtyType): CtyValue {
  const json = parseLosslessJson(text)
  if (json === undefined) throw createProviderBug('the value is not valid JSON')
  return readJsonValue(json, declared, [])
}

function readJsonValue(json: LosslessJson, declared: CtyType, path: CtyPath): CtyValue {
  checkDepth(path.length)
  if (json === null) return nullOf(declared)
  switch (declared.kind) {
    case 'dynamic':
      return readTypedJson(json, path)
    case 'string':
    case 'number':
    case 'bool':
      return readPrimitive(json, declared, path)
    case 'list':
    case 'set':
    case 'tuple':
      return readJsonSequence(json, declared, path)
    case 'map': {
      const entries = requireObject(json, declared, path)
      return mapOf(readEntries(entries, declared.element, path), declared.element, path)
    }
    case 'object':
      return readJsonObject(requireObject(json, declared, path), declared, path)
  }
}

function readPrimitive(json: LosslessJson, declared: CtyType, path: CtyPath): CtyValue {
  const text = typeof json === 'string' ? json : isNumber(json) ? json.source : undefined
  switch (declared.kind) {
    case 'string':
      if (text !== undefined) return stringOf(text)
      if (typeof json === 'boolean') return stringOf(String(json))
      break
    case 'number': {
      const number = text === undefined ? undefined : parseCtyNumber(text)
      if (number !== undefined) return numberOf(number)
      break
    }
    default:
      if (typeof json === 'boolean') return boolOf(json)
      if (json === 'true' || json === '1') return boolOf(true)
      if (json === 'false' || json === '0') return boolOf(false)
  }
  throw createJsonError(declared, path)
}

function isNumber(json: LosslessJson): json is Extract<LosslessJson, { kind: 'number' }> {
  return typeof json === 'object' && json !== null && 'kind' in json
}

function readJsonSequence(
  json: LosslessJson,
  declared: CollectionType | TupleType,
  path: CtyPath,
): CtyValue {
  if (!isLosslessArray(json)) throw createJsonError(declared, path)
  if (declared.kind === 'tuple') {
    if (json.length !== declared.elements.length)
      throw createProviderBug(`${declared.elements.length} elements are required`, path)
    return tupleOf(
      declared.elements.map((type, index) =>
        readJsonValue(json[index] ?? null, type, [...path, createIndexStep(index)]),
      ),
    )
  }
  const { kind, element } = declared
  const elements = json.map((item, index) =>
    readJsonValue(item, element, [...path, createIndexStep(index)]),
  )
  return kind === 'set' ? setOf(elements, element, path) : listOf(elements, element, path)
}

function readEntries(
  json: LosslessObject,
  element: CtyType,
  path: CtyPath,
): readonly (readonly [string, CtyValue])[] {
  return [...json].map(([key, item]) => [
    key,
    readJsonValue(item, element, [...path, createKeyStep(key)]),
  ])
}

function readJsonObject(json: LosslessObject, declared: ObjectType, path: CtyPath): CtyValue {
  const members = new Map(
    [...json].map(([name, item]) => [name.toWellFormed().normalize('NFC'), item]),
  )
  const unknownName = [...members.keys()].find(name => !declared.attributes.has(name))
  if (unknownName !== undefined)
    throw createProviderBug(`the attribute '${unknownName}' is not supported`, path)
  return objectOfType(declared, (name, type) =>
    readJsonValue(members.get(name) ?? null, type, [...path, createAttributeStep(name)]),
  )
}

function requireObject(json: LosslessJson, declared: CtyType, path: CtyPath): LosslessObject {
  if (!isLosslessObject(json)) throw createJsonError(declared, path)
  return json
}

/** Reads `{"value":…,"type":…}`, the form of values whose declared type is dynamic. */
function readTypedJson(json: LosslessJson, path: CtyPath): CtyValue {
  const type = isLosslessObject(json) ? json.get('type') : undefined
  const value = isLosslessObject(json) ? json.get('value') : undefined
  if (!isLosslessObject(json) || json.size !== 2 || type === undefined || value === undefined)
    throw createProviderBug('an object with value and type is required', path)
  const valueType = readLosslessType(type)
  // A dynamic value directly inside another one would add a level without a step in `path`.
  if (valueType.kind === 'dynamic' && value !== null)
    throw createProviderBug('a type other than the dynamic one is required', path)
  return readJsonValue(value, valueType, path)
}

function createJsonError(declared: CtyType, path: CtyPath): Error {
  return createProviderBug(`${describeType(declared)} is required`, path)
}
