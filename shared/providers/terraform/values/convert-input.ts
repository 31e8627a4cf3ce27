import type { PropertyValue } from '../../../values/value.ts'
import { isList, isMap, isSpecial } from '../../../values/value.ts'
import { listOf, mapOf, objectOf, objectOfType, setOf, tupleOf } from './build-value.ts'
import { type BuildPlace, enterPart, markSensitive, reportProblem } from './config-problem.ts'
import { formatCtyNumber, convertFloat, parseCtyNumber } from './cty-number.ts'
import { type CtyStep, createAttributeStep, createIndexStep, createKeyStep } from './cty-path.ts'
import { type CtyValue, boolOf, nullOf, numberOf, stringOf } from './cty-value.ts'
import {
  type CollectionType,
  type CtyType,
  type TupleType,
  containsDynamic,
  describeType,
  areEqualTypes,
  numberType,
  stringType,
} from './type-system.ts'
import { unknownOf } from './unknown-value.ts'

/**
 * An input without wrappers of secrets, outputs and references. Undefined stands for an unknown
 * value.
 */
export type PlainInput = Exclude<PropertyValue, { readonly kind: string }> | undefined

/**
 * Removes the wrappers of an input. If it is a secret, marks its place as sensitive. References
 * become ids. Reports values that Terraform does not have, such as archives.
 */
export function unwrapInput(input: PropertyValue, place: BuildPlace): PlainInput {
  if (!isSpecial(input)) return input
  switch (input.kind) {
    case 'secret':
      markSensitive(place)
      return unwrapInput(input.value, place)
    case 'unknown':
      return undefined
    case 'output':
      if (input.secret) markSensitive(place)
      return input.value === undefined ? undefined : unwrapInput(input.value, place)
    case 'reference':
      return typeof input.id === 'object' ? undefined : (input.id ?? null)
    case 'asset':
    case 'archive':
    case 'bytes':
      reportProblem(place, `a value of kind ${input.kind} is not supported`)
      return null
  }
}

/**
 * Converts an input to a declared type, as Terraform converts values of a configuration. Missing
 * attributes are null, and superfluous ones are dropped. Reports problems. Input of a wrong type
 * becomes null.
 */
export function convertInput(input: PropertyValue, type: CtyType, place: BuildPlace): CtyValue {
  const plain = unwrapInput(input, place)
  if (plain === undefined) return unknownOf(type)
  if (plain === null) return nullOf(type)
  const value = convertPlain(plain, type, place)
  if (value !== undefined) return value
  reportProblem(place, `${describeType(type)} is required`)
  return nullOf(type)
}

function convertPlain(
  input: NonNullable<PlainInput>,
  type: CtyType,
  place: BuildPlace,
): CtyValue | undefined {
  switch (type.kind) {
    case 'string':
      return convertToString(input)
    case 'number':
      return convertToNumber(input)
    case 'bool':
      return convertToBool(input)
    case 'dynamic':
      return convertToOwnType(input, place)
    case 'list':
    case 'set':
    case 'tuple':
      return isList(input) ? convertItems(input, type, place) : undefined
    case 'map': {
      if (!isMap(input)) return undefined
      const entries = [...input].map(
        ([key, item]) =>
          [key, convertInput(item, type.element, enterPart(place, createKeyStep(key)))] as const,
      )
      const elements = unifyElements(
        entries.map(([, element]) => element),
        type.element,
        place,
      )
      return elements === undefined
        ? nullOf(type)
        : mapOf(
            entries.map(([key, element], index) => [key, elements[index] ?? element]),
            type.element,
          )
    }
    case 'object':
      if (!isMap(input)) return undefined
      return objectOfType(type, (name, attribute) =>
        convertInput(
          input.get(name) ?? null,
          attribute,
          enterPart(place, createAttributeStep(name)),
        ),
      )
  }
}

function convertToString(input: NonNullable<PlainInput>): CtyValue | undefined {
  if (typeof input === 'string') return stringOf(input)
  if (typeof input === 'boolean') return stringOf(String(input))
  const number = typeof input === 'number' ? convertFloat(input) : undefined
  return number === undefined ? undefined : stringOf(formatCtyNumber(number))
}

/**
 * Converts to a number. Programs have doubles only, so they pass longer numbers as strings. An
 * empty string is null, as in Pulumi's bridge.
 */
function convertToNumber(input: NonNullable<PlainInput>): CtyValue | undefined {
  if (typeof input !== 'string' && typeof input !== 'number') return undefined
  if (input === '') return nullOf(numberType)
  const number = parseCtyNumber(String(input))
  return number === undefined ? undefined : numberOf(number)
}

function convertToBool(input: NonNullable<PlainInput>): CtyValue | undefined {
  if (typeof input === 'boolean') return boolOf(input)
  if (input === 'true' || input === '1') return boolOf(true)
  return input === 'false' || input === '0' ? boolOf(false) : undefined
}

/** Converts to the type of the input itself: arrays become tuples, and maps become objects. */
function convertToOwnType(input: NonNullable<PlainInput>, place: BuildPlace): CtyValue | undefined {
  if (typeof input === 'string') return stringOf(input)
  if (typeof input === 'boolean') return boolOf(input)
  if (typeof input === 'number') return convertToNumber(input)
  const convertPart = (part: PropertyValue, step: CtyStep): CtyValue =>
    convertInput(part, { kind: 'dynamic' }, enterPart(place, step))
  if (isList(input))
    return tupleOf(input.map((item, index) => convertPart(item, createIndexStep(index))))
  return objectOf(
    [...input].map(([name, item]) => [name, convertPart(item, createAttributeStep(name))] as const),
  )
}

function convertItems(
  input: readonly PropertyValue[],
  type: CollectionType | TupleType,
  place: BuildPlace,
): CtyValue {
  if (type.kind === 'tuple') {
    if (input.length !== type.elements.length)
      reportProblem(place, `${type.elements.length} elements are required`)
    return tupleOf(
      type.elements.map((element, index) =>
        convertInput(input[index] ?? null, element, enterPart(place, createIndexStep(index))),
      ),
    )
  }
  const { kind, element } = type
  const converted = input.map((item, index) =>
    convertInput(item, element, enterPart(place, createItemStep(kind, index))),
  )
  const elements = unifyElements(converted, element, place)
  if (elements === undefined) return nullOf(type)
  return kind === 'set' ? setOf(elements, element) : listOf(elements, element)
}

/** Returns the step to an item of the input for a list or set. */
export function createItemStep(kind: string, index: number): CtyStep {
  return kind === 'set' ? { kind: 'element', position: index } : createIndexStep(index)
}

/**
 * Gives the elements of a collection one type. Primitives become strings if one of them is a
 * string. Reports other differences, and returns undefined.
 */
function unifyElements(
  elements: readonly CtyValue[],
  elementType: CtyType,
  place: BuildPlace,
): readonly CtyValue[] | undefined {
  if (!containsDynamic(elementType)) return elements
  const types = elements.map(({ type }) => type).filter(({ kind }) => kind !== 'dynamic')
  const [first] = types
  if (first === undefined || types.every(type => areEqualTypes(type, first))) return elements
  const primitives = elements.map(toPrimitiveString)
  if (types.some(({ kind }) => kind === 'string') && !primitives.includes(undefined))
    return primitives.filter(value => value !== undefined)
  reportProblem(place, 'all elements must have the same type')
  return undefined
}

function toPrimitiveString(value: CtyValue): CtyValue | undefined {
  switch (value.kind) {
    case 'null':
      return nullOf(stringType)
    case 'unknown':
      return unknownOf(stringType)
    case 'string':
      return value
    case 'bool':
      return stringOf(String(value.isTrue))
    case 'number':
      return stringOf(formatCtyNumber(value.number))
    default:
      return undefined
  }
}
