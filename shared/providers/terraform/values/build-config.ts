import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { isList, isMap } from '../../../values/value.ts'
import { listOf, mapOf, objectOfType, setOf } from './build-value.ts'
import {
  type BuildPlace,
  type BuildReport,
  type ConfigProblem,
  enterPart,
  reportProblem,
} from './config-problem.ts'
import { convertInput, createItemStep, unwrapInput } from './convert-input.ts'
import { type CtyPath, createAttributeStep, createKeyStep } from './cty-path.ts'
import { type CtyValue, isWhollyKnown, nullOf } from './cty-value.ts'
import { blocksOf, emptyBlockOf } from './empty-block.ts'
import {
  type AttributeSchema,
  type BlockSchema,
  type NestedBlockSchema,
  type ObjectSchema,
  impliedTypeOf,
  typeOfAttribute,
  typeOfNestedBlock,
  typeOfObject,
} from './schema.ts'
import { unknownOf } from './unknown-value.ts'

/**
 * The configuration of an object, with all problems of the input. `value` has the type that the
 * schema implies.
 */
export interface BuiltConfig {
  readonly value: CtyValue
  readonly problems: readonly ConfigProblem[]
  /** The paths of secret inputs. A secret within a set marks the whole set. */
  readonly sensitivePaths: readonly CtyPath[]
}

/**
 * Builds the configuration of a block from a program's inputs, whose names are those of the schema.
 * All problems are collected. Input of a wrong type becomes null, or no blocks.
 */
export function buildConfig(block: BlockSchema, input: PropertyValue): BuiltConfig {
  const report: BuildReport = { problems: [], sensitivePaths: [] }
  const value = buildObject(block, input, { report, path: [] })
  return { value, ...report }
}

function buildObject(block: BlockSchema, input: PropertyValue, place: BuildPlace): CtyValue {
  const type = impliedTypeOf(block)
  const plain = unwrapInput(input, place)
  if (plain === undefined) return unknownOf(type)
  if (!isMap(plain)) {
    reportProblem(place, 'an object is required')
    return nullOf(type)
  }
  for (const name of plain.keys())
    if (!type.attributes.has(name))
      reportProblem(
        enterPart(place, createAttributeStep(name)),
        `the property '${name}' is not supported`,
      )
  return objectOfType(type, name => {
    const part = plain.get(name) ?? null
    const partPlace = enterPart(place, createAttributeStep(name))
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return buildAttribute(attribute, part, partPlace)
    const nested = block.blocks.get(name)
    return nested === undefined ? nullOf(type) : buildBlocks(nested, part, partPlace)
  })
}

function buildAttribute(
  attribute: AttributeSchema,
  input: PropertyValue,
  place: BuildPlace,
): CtyValue {
  const problemsBefore = place.report.problems.length
  const value =
    attribute.kind === 'plain'
      ? convertInput(input, attribute.type, place)
      : buildNested(attribute, attribute.nested, { input, place })
  if (value.kind === 'null') {
    const isReported = place.report.problems.length > problemsBefore
    if (attribute.isRequired === true && !isReported) reportProblem(place, 'a value is required')
    return value
  }
  if (attribute.isRequired !== true && attribute.isOptional !== true)
    reportProblem(place, 'only the provider sets the value')
  return value
}

interface PlacedInput {
  readonly input: PropertyValue
  readonly place: BuildPlace
}

/** Builds an attribute with nested attributes. It may be null, unlike a collection of blocks. */
function buildNested(
  attribute: AttributeSchema,
  nested: ObjectSchema,
  { input, place }: PlacedInput,
): CtyValue {
  const type = typeOfAttribute(attribute)
  const object = typeOfObject(nested)
  const plain = unwrapInput(input, place)
  if (plain === undefined) return unknownOf(type)
  if (plain === null) return nullOf(type)
  const { nesting } = nested
  if (nesting === 'single' && isMap(plain)) return buildNestedObject(nested, plain, place)
  const buildItem = (item: PropertyValue, itemPlace: BuildPlace): CtyValue => {
    const plainItem = unwrapInput(item, itemPlace)
    if (plainItem === undefined) return unknownOf(object)
    if (isMap(plainItem)) return buildNestedObject(nested, plainItem, itemPlace)
    if (plainItem !== null) reportProblem(itemPlace, 'an object is required')
    return nullOf(object)
  }
  if (nesting === 'map' && isMap(plain))
    return mapOf(
      [...plain].map(
        ([key, item]) => [key, buildItem(item, enterPart(place, createKeyStep(key)))] as const,
      ),
      object,
    )
  if ((nesting === 'list' || nesting === 'set') && isList(plain)) {
    const items = plain.map((item, index) =>
      buildItem(item, enterPart(place, createItemStep(nesting, index))),
    )
    return nesting === 'set' ? setOf(items, object) : listOf(items, object)
  }
  reportProblem(place, `${nesting === 'single' ? 'an object' : `a ${nesting}`} is required`)
  return nullOf(type)
}

function buildNestedObject(nested: ObjectSchema, input: PropertyMap, place: BuildPlace): CtyValue {
  return objectOfType(typeOfObject(nested), (name, type) => {
    const attribute = nested.attributes.get(name)
    return attribute === undefined
      ? nullOf(type)
      : buildAttribute(
          attribute,
          input.get(name) ?? null,
          enterPart(place, createAttributeStep(name)),
        )
  })
}

function buildBlocks(nested: NestedBlockSchema, input: PropertyValue, place: BuildPlace): CtyValue {
  const { block, nesting, minItems } = nested
  const plain = unwrapInput(input, place)
  if (plain === undefined) return unknownOf(typeOfNestedBlock(nested))
  if (nesting === 'single' || nesting === 'group') {
    if (plain !== null) return buildObject(block, plain, place)
    if (minItems > 0) reportProblem(place, 'a block is required')
    return emptyBlockOf(nested)
  }
  const entries = listEntries(nested, plain, place).map(
    ([key, item, itemPlace]) => [key, buildElement(block, item, itemPlace)] as const,
  )
  checkCount(
    nested,
    entries.map(([, element]) => element),
    place,
  )
  return blocksOf(nested, entries)
}

/**
 * Builds one block of a collection. The number of blocks is known, so only the parts of a block may
 * be unknown.
 */
function buildElement(block: BlockSchema, input: PropertyValue, place: BuildPlace): CtyValue {
  const value = buildObject(block, input, place)
  if (value.kind !== 'unknown') return value
  return objectOfType(impliedTypeOf(block), (name, type) => {
    const attribute = block.attributes.get(name)
    const isOutput = attribute !== undefined && !attribute.isRequired && !attribute.isOptional
    return isOutput ? nullOf(type) : unknownOf(type)
  })
}

/** Returns the input of each block with its key and its place. Only maps have keys. */
function listEntries(
  { nesting }: NestedBlockSchema,
  input: PropertyValue,
  place: BuildPlace,
): readonly (readonly [string, PropertyValue, BuildPlace])[] {
  if (input === null) return []
  if (nesting === 'map' && isMap(input))
    return [...input].map(([key, item]) => [key, item, enterPart(place, createKeyStep(key))])
  if (nesting !== 'map' && isList(input))
    return input.map((item, index) => ['', item, enterPart(place, createItemStep(nesting, index))])
  reportProblem(place, `a ${nesting === 'map' ? 'map' : 'list'} of blocks is required`)
  return []
}

/**
 * Checks the number of blocks. While a block has unknown parts, the number is not final and is not
 * checked.
 */
function checkCount(
  { minItems, maxItems }: NestedBlockSchema,
  blocks: readonly CtyValue[],
  place: BuildPlace,
): void {
  if (!blocks.every(isWhollyKnown)) return
  if (blocks.length < minItems) reportProblem(place, `at least ${minItems} blocks are required`)
  if (maxItems > 0 && blocks.length > maxItems)
    reportProblem(place, `at most ${maxItems} blocks are allowed`)
}
