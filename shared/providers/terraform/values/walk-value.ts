import {
  type CtyPath,
  type CtyStep,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from './cty-path.ts'
import { listOf, mapOf, objectOf, setOf, tupleOf } from './build-value.ts'
import { type CtyValue, isWhollyKnown, nullOf } from './cty-value.ts'
import { unknownOf } from './unknown-value.ts'

/** Returns the direct parts of a value with their steps. Null, unknown and primitives have none. */
export function childrenOf(value: CtyValue): readonly (readonly [CtyStep, CtyValue])[] {
  switch (value.kind) {
    case 'null':
    case 'unknown':
    case 'string':
    case 'number':
    case 'bool':
      return []
    case 'list':
    case 'tuple':
      return value.elements.map((element, index) => [createIndexStep(index), element])
    case 'set':
      return value.elements.map((element, position) => [{ kind: 'element', position }, element])
    case 'map':
      return [...value.entries].map(([key, element]) => [createKeyStep(key), element])
    case 'object':
      return [...value.entries].map(([name, attribute]) => [createAttributeStep(name), attribute])
  }
}

/**
 * Visits a value and all of its parts, outer values first. Skips the parts of a value for which
 * `visit` returns false.
 */
export function walkValue(
  value: CtyValue,
  visit: (value: CtyValue, path: CtyPath) => boolean,
  path: CtyPath = [],
): void {
  if (!visit(value, path)) return
  for (const [step, child] of childrenOf(value)) walkValue(child, visit, [...path, step])
}

/**
 * Replaces a value and all of its parts, inner values first. `transform` must keep the type of each
 * element of a collection.
 */
export function transformValue(
  value: CtyValue,
  transform: (value: CtyValue, path: CtyPath) => CtyValue,
  path: CtyPath = [],
): CtyValue {
  const parts = childrenOf(value).map(
    ([step, child]) => [step, transformValue(child, transform, [...path, step])] as const,
  )
  return transform(withChildren(value, parts), path)
}

/** Returns a value with new parts, which have the order of `childrenOf`. */
function withChildren(value: CtyValue, parts: readonly (readonly [CtyStep, CtyValue])[]): CtyValue {
  const elements = parts.map(([, part]) => part)
  if (value.type.kind === 'list' && value.kind === 'list')
    return listOf(elements, value.type.element)
  if (value.type.kind === 'set' && value.kind === 'set') return setOf(elements, value.type.element)
  if (value.kind === 'tuple') return tupleOf(elements)
  if (value.kind === 'object') return objectOf(toEntries(parts))
  if (value.type.kind === 'map' && value.kind === 'map')
    return mapOf(toEntries(parts), value.type.element)
  return value
}

function toEntries(
  parts: readonly (readonly [CtyStep, CtyValue])[],
): readonly (readonly [string, CtyValue])[] {
  return parts.flatMap(([step, part]) => {
    if (step.kind === 'attribute') return [[step.name, part] as const]
    return step.kind === 'key' ? [[step.key, part] as const] : []
  })
}

/** Replaces each unknown part by the null of its type. */
export function replaceUnknowns(value: CtyValue): CtyValue {
  return isWhollyKnown(value)
    ? value
    : transformValue(value, part => (part.kind === 'unknown' ? nullOf(part.type) : part))
}

/** Returns the paths of all unknown parts. */
export function unknownPathsOf(value: CtyValue): readonly CtyPath[] {
  const paths: CtyPath[] = []
  walkValue(value, (part, path) => {
    if (part.kind === 'unknown') paths.push(path)
    return true
  })
  return paths
}

/**
 * Returns the part at a path. Below an unknown value all parts of its type are unknown. Returns
 * undefined if there is no such part, as below a null.
 */
export function findAtCtyPath(value: CtyValue, path: CtyPath): CtyValue | undefined {
  let part: CtyValue | undefined = value
  for (const step of path) {
    if (part === undefined) return undefined
    part = findChild(part, step)
  }
  return part
}

/**
 * Returns the direct part at a step. Providers also address attributes as keys, and keys as
 * attributes.
 */
function findChild(value: CtyValue, step: CtyStep): CtyValue | undefined {
  switch (value.kind) {
    case 'unknown':
      return findUnknownChild(value, step)
    case 'map':
    case 'object':
      return findEntry(value.entries, step)
    case 'list':
    case 'tuple':
      return step.kind === 'index' ? value.elements[step.index] : undefined
    case 'set':
      return step.kind === 'element' ? value.elements[step.position] : undefined
    default:
      return undefined
  }
}

function findEntry<T>(entries: ReadonlyMap<string, T>, step: CtyStep): T | undefined {
  const name = nameOfStep(step)
  return name === undefined ? undefined : entries.get(name)
}

/** Returns the name of an attribute or the key of a map, or undefined for another step. */
function nameOfStep(step: CtyStep): string | undefined {
  if (step.kind === 'attribute') return step.name
  return step.kind === 'key' ? step.key : undefined
}

function findUnknownChild({ type }: CtyValue, step: CtyStep): CtyValue | undefined {
  switch (type.kind) {
    case 'dynamic':
      return unknownOf(type)
    case 'object': {
      const attribute = findEntry(type.attributes, step)
      return attribute === undefined ? undefined : unknownOf(attribute)
    }
    case 'tuple': {
      const element = step.kind === 'index' ? type.elements[step.index] : undefined
      return element === undefined ? undefined : unknownOf(element)
    }
    case 'list':
      return step.kind === 'index' ? unknownOf(type.element) : undefined
    case 'map':
      return nameOfStep(step) === undefined ? undefined : unknownOf(type.element)
    default:
      return undefined
  }
}
