import { type PropertyMap, type PropertyValue, secretOf, unknown } from '../../../values/value.ts'
import {
  type CtyPath,
  type CtyStep,
  createAttributeStep,
  areEqualSteps,
  createKeyStep,
} from '../values/cty-path.ts'
import type { CtyMapping, CtySequence, CtyValue } from '../values/cty-value.ts'
import { childrenOf } from '../values/walk-value.ts'
import {
  type PropertyName,
  type PropertyNames,
  type ValueShape,
  freeShape,
} from './property-names.ts'
import { toPropertyNumber } from './property-number.ts'

/**
 * Returns the outputs of an object. Null properties are absent, and unknown ones become unknown
 * outputs. Parts at the sensitive paths become secrets. A sensitive part in a set makes the whole
 * set a secret, because elements of sets have no address. An object that is null has no outputs.
 */
export function toOutputs(
  names: PropertyNames,
  value: CtyValue,
  sensitivePaths: readonly CtyPath[],
): PropertyMap {
  const outputs = new Map<string, PropertyValue>()
  for (const [tfName, property] of names.toPulumi) {
    if (value.kind === 'unknown') {
      outputs.set(property.name, unknown)
      continue
    }
    const part = value.kind === 'object' ? value.entries.get(tfName) : undefined
    if (part === undefined || part.kind === 'null') continue
    const output = toProperty(
      part,
      property,
      enterPaths(sensitivePaths, createAttributeStep(tfName)),
    )
    if (output !== undefined) outputs.set(property.name, output)
  }
  return outputs
}

/** Converts a property. Returns undefined for an absent flattened block. */
function toProperty(
  value: CtyValue,
  { shape, isFlattened }: PropertyName,
  paths: readonly CtyPath[],
): PropertyValue | undefined {
  if (!isFlattened || !isSequence(value)) return toOutputValue(value, shape, paths)
  const [child] = childrenOf(value)
  if (child === undefined) return undefined
  const [step, block] = child
  const isWholeSecret = value.kind === 'set' ? paths.length > 0 : marksWhole(paths)
  const inner = isWholeSecret ? wholePaths : enterPaths(paths, step)
  return toOutputValue(block, shapeOfElement(shape, 0), inner)
}

/**
 * Returns a value as Pulumi programs see it. A number is a double if the double keeps all digits,
 * and an exact text otherwise.
 */
export function toOutputValue(
  value: CtyValue,
  shape: ValueShape,
  sensitivePaths: readonly CtyPath[],
): PropertyValue {
  if (value.kind === 'null') return null
  const isSecret = marksWhole(sensitivePaths) || (value.kind === 'set' && sensitivePaths.length > 0)
  if (isSecret) return secretOf(toOutputValue(value, shape, []))
  switch (value.kind) {
    case 'unknown':
      return unknown
    case 'string':
      return value.text
    case 'bool':
      return value.isTrue
    case 'number':
      return toPropertyNumber(value.number)
    case 'list':
    case 'tuple':
    case 'set':
      return childrenOf(value).map(([step, element], index) =>
        toOutputValue(element, shapeOfElement(shape, index), enterPaths(sensitivePaths, step)),
      )
    case 'map':
    case 'object':
      return shape.kind === 'object'
        ? toOutputs(shape.names, value, sensitivePaths)
        : toOutputEntries(value, shape, sensitivePaths)
  }
}

function toOutputEntries(
  value: CtyMapping,
  shape: ValueShape,
  paths: readonly CtyPath[],
): PropertyMap {
  const element = shapeOfElement(shape, 0)
  return new Map(
    [...value.entries].map(([key, part]) => [
      key,
      toOutputValue(part, element, [
        ...enterPaths(paths, createKeyStep(key)),
        ...enterPaths(paths, createAttributeStep(key)),
      ]),
    ]),
  )
}

function shapeOfElement(shape: ValueShape, index: number): ValueShape {
  switch (shape.kind) {
    case 'list':
    case 'set':
    case 'map':
      return shape.element
    case 'tuple':
      return shape.elements[index] ?? freeShape
    default:
      return freeShape
  }
}

function isSequence(value: CtyValue): value is CtySequence {
  return value.kind === 'list' || value.kind === 'set' || value.kind === 'tuple'
}

/** The paths of a part that is sensitive as a whole. */
const wholePaths: readonly CtyPath[] = [[]]

/** Reports whether the paths mark a part as a whole. */
function marksWhole(paths: readonly CtyPath[]): boolean {
  return paths.some(path => path.length === 0)
}

/** Returns the paths that begin with a step, without that step. */
function enterPaths(paths: readonly CtyPath[], step: CtyStep): readonly CtyPath[] {
  return paths.flatMap(([first, ...path]) =>
    first !== undefined && areEqualSteps(first, step) ? [path] : [],
  )
}
