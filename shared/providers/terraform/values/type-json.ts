import {
  type CtyType,
  boolType,
  dynamicType,
  listType,
  mapType,
  numberType,
  createObjectType,
  setType,
  stringType,
  createTupleType,
} from './type-system.ts'
import type { LosslessJson } from './lossless-json.ts'
import { checkDepth, createProviderBug } from './provider-bug.ts'
import { parseJson } from '../../../values/parse-json.ts'
import { formatGoJson } from '../../../values/go-json.ts'

/**
 * Parses the JSON form of a type, as in schemas: `"string"`, `["list","string"]`. The list of
 * optional attributes of an object has no meaning in the protocol and is dropped. Throws
 * TERRAFORM_PROVIDER_BUG for any other text.
 */
export function parseTypeJson(text: string): CtyType {
  return readTypeJson(parseJson(text))
}

/** Reads a type from parsed JSON. Throws TERRAFORM_PROVIDER_BUG for other JSON. */
export function readTypeJson(json: unknown): CtyType {
  return readType(json, 0)
}

/** Reads a type as `readTypeJson` does, but from the result of `parseLosslessJson`. */
export function readLosslessType(json: LosslessJson): CtyType {
  return readType(toPlainJson(json, 0), 0)
}

function toPlainJson(json: LosslessJson, depth: number): unknown {
  checkDepth(depth)
  if (json instanceof Map)
    return Object.fromEntries([...json].map(([name, item]) => [name, toPlainJson(item, depth + 1)]))
  return Array.isArray(json) ? json.map(item => toPlainJson(item, depth + 1)) : json
}

function readType(json: unknown, depth: number): CtyType {
  checkDepth(depth)
  if (typeof json === 'string') return readPrimitive(json)
  if (!Array.isArray(json)) throw createTypeError(json)
  const [kind, argument, optional]: readonly unknown[] = json
  if (json.length < 2 || json.length > (kind === 'object' ? 3 : 2)) throw createTypeError(json)
  switch (kind) {
    case 'list':
      return listType(readType(argument, depth + 1))
    case 'set':
      return setType(readType(argument, depth + 1))
    case 'map':
      return mapType(readType(argument, depth + 1))
    case 'tuple':
      if (!Array.isArray(argument)) throw createTypeError(json)
      return createTupleType(argument.map(element => readType(element, depth + 1)))
    case 'object':
      if (optional !== undefined && !isNames(optional)) throw createTypeError(json)
      return readObject(argument, depth)
    default:
      throw createTypeError(json)
  }
}

function readPrimitive(name: string): CtyType {
  switch (name) {
    case 'string':
      return stringType
    case 'number':
      return numberType
    case 'bool':
      return boolType
    case 'dynamic':
      return dynamicType
    default:
      throw createTypeError(name)
  }
}

function readObject(json: unknown, depth: number): CtyType {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw createTypeError(json)
  const attributes = Object.entries(json).map(
    ([name, type]) => [name, readType(type, depth + 1)] as const,
  )
  return createObjectType(attributes)
}

function isNames(json: unknown): boolean {
  return Array.isArray(json) && json.every(name => typeof name === 'string')
}

function createTypeError(json: unknown): Error {
  const text = JSON.stringify(json) ?? 'nothing'
  return createProviderBug(`the provider sent an invalid type: ${text.slice(0, 200)}`)
}

/** Returns the JSON form of a type, byte for byte as cty writes it. */
export function formatTypeJson(type: CtyType): string {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'bool':
    case 'dynamic':
      return `"${type.kind}"`
    case 'list':
    case 'set':
    case 'map':
      return `["${type.kind}",${formatTypeJson(type.element)}]`
    case 'tuple':
      return `["tuple",[${type.elements.map(formatTypeJson).join(',')}]]`
    case 'object': {
      const attributes = [...type.attributes].map(
        ([name, attribute]) => `${formatGoJson(name)}:${formatTypeJson(attribute)}`,
      )
      return `["object",{${attributes.join(',')}}]`
    }
  }
}
