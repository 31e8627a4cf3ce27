import { objectOf, objectOfType, mapOf, listOf, setOf, tupleOf } from '../values/build-value.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import { emptyObjectOf } from '../values/empty-block.ts'
import {
  type AttributeSchema,
  type BlockSchema,
  type NestedBlockSchema,
  type ObjectSchema,
  impliedTypeOf,
} from '../values/schema.ts'
import { unknownOf } from '../values/unknown-value.ts'
import { walkValue } from '../values/walk-value.ts'
import {
  type ObjectShape,
  findAttributeAtPath,
  attributeOf,
  findElement,
  elementsOf,
  entriesOf,
  typeOfShape,
} from './object-shape.ts'
import { mayComeFromConfig } from './set-correlation.ts'

/**
 * Returns the proposed new state for the provider's plan. It is the configuration, with the prior
 * values of computed attributes that the configuration does not set.
 */
export function proposeNew(block: BlockSchema, prior: CtyValue, config: CtyValue): CtyValue {
  if (prior.kind === 'null' && config.kind === 'null') return prior
  return mergeBlock(block, prior.kind === 'null' ? emptyObjectOf(block) : prior, config)
}

/**
 * Returns the placeholder of an object that can only be read later. It is the configuration, with
 * unknown values for computed attributes that the configuration does not set.
 */
export function planUnknown(block: BlockSchema, config: CtyValue): CtyValue {
  return mergeBlock(block, unknownOf(impliedTypeOf(block)), config)
}

function mergeBlock(block: BlockSchema, prior: CtyValue, config: CtyValue): CtyValue {
  if (config.kind === 'null' || config.kind === 'unknown') return prior
  return objectOfType(impliedTypeOf(block), (name, type) => {
    const priorPart = attributeOf(prior, name, type)
    const configPart = attributeOf(config, name, type)
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return mergeAttribute(attribute, priorPart, configPart)
    const nested = block.blocks.get(name)
    return nested === undefined ? configPart : mergeNestedBlock(nested, priorPart, configPart)
  })
}

function mergeNestedBlock(
  { block, nesting }: NestedBlockSchema,
  prior: CtyValue,
  config: CtyValue,
): CtyValue {
  // The number of blocks is unknown, so none can be merged.
  if (config.kind === 'unknown') return config
  switch (nesting) {
    case 'single':
      return config.kind === 'null' ? config : proposeNew(block, prior, config)
    case 'group':
      return proposeNew(block, prior, config)
    case 'list':
      return mergeList(block, prior, config)
    case 'map':
      return mergeMap(block, prior, config)
    case 'set':
      return mergeSet(block, prior, config)
  }
}

function mergeAttribute(attribute: AttributeSchema, prior: CtyValue, config: CtyValue): CtyValue {
  if (attribute.isComputed === true && config.kind === 'null')
    return wasConfigured(attribute, prior) ? config : prior
  return attribute.kind === 'nested' ? mergeNested(attribute.nested, prior, config) : config
}

/** Reports whether a prior value contains a part that only a configuration can set. */
function wasConfigured(attribute: AttributeSchema, prior: CtyValue): boolean {
  if (attribute.isOptional !== true || attribute.kind === 'plain') return false
  let isConfigured = false
  walkValue(prior, (part, path) => {
    const inner = findAttributeAtPath(attribute.nested, path)
    if (part.kind !== 'null' && inner !== undefined && inner.isComputed !== true)
      isConfigured = true
    return !isConfigured
  })
  return isConfigured
}

function mergeNested(nested: ObjectSchema, prior: CtyValue, config: CtyValue): CtyValue {
  if (config.kind === 'unknown') return config
  switch (nested.nesting) {
    case 'single':
      return mergeElement(nested, prior, config)
    case 'list':
      return mergeList(nested, prior, config)
    case 'map':
      return mergeMap(nested, prior, config)
    case 'set':
      return mergeSet(nested, prior, config)
  }
}

function mergeElement(shape: ObjectShape, prior: CtyValue, config: CtyValue): CtyValue {
  if ('blocks' in shape) return proposeNew(shape, prior, config)
  if (config.kind === 'null') return config
  return objectOfType(typeOfShape(shape), (name, type) => {
    const attribute = shape.attributes.get(name)
    const configPart = attributeOf(config, name, type)
    return attribute === undefined
      ? configPart
      : mergeAttribute(attribute, attributeOf(prior, name, type), configPart)
  })
}

/** Merges elements of lists that have the same index. */
function mergeList(shape: ObjectShape, prior: CtyValue, config: CtyValue): CtyValue {
  if (config.kind !== 'list' && config.kind !== 'tuple') return config
  const type = typeOfShape(shape)
  const merged = config.elements.map((element, index) => {
    const priorElement = findElement(prior, index, type)
    return priorElement === undefined ? element : mergeElement(shape, priorElement, element)
  })
  return config.kind === 'tuple' ? tupleOf(merged) : listOf(merged, type)
}

/** Merges elements of maps that have the same key. */
function mergeMap(shape: ObjectShape, prior: CtyValue, config: CtyValue): CtyValue {
  if (config.kind !== 'map' && config.kind !== 'object') return config
  const priorEntries = entriesOf(prior)
  const merged = [...config.entries].map(([key, element]) => {
    const priorElement = priorEntries.get(key)
    return [
      key,
      priorElement === undefined ? element : mergeElement(shape, priorElement, element),
    ] as const
  })
  return config.kind === 'object' ? objectOf(merged) : mapOf(merged, typeOfShape(shape))
}

/** Merges each element of a set with the first prior one that may come from it. */
function mergeSet(shape: ObjectShape, prior: CtyValue, config: CtyValue): CtyValue {
  if (config.kind !== 'set') return config
  const type = typeOfShape(shape)
  const unusedPriors = [...elementsOf(prior)]
  const merged = config.elements.map(element => {
    const position = unusedPriors.findIndex(candidate =>
      mayComeFromConfig(shape, candidate, element),
    )
    const [priorElement = nullOf(type)] = position < 0 ? [] : unusedPriors.splice(position, 1)
    return mergeElement(shape, priorElement, element)
  })
  return setOf(merged, type)
}
