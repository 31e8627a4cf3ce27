import { type PathSegment, anySegment, formatPath, parsePath } from '../../../values/path.ts'
import {
  type CtyPath,
  type CtyStep,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { childrenOf, findAtCtyPath } from '../values/walk-value.ts'
import { type PropertyNames, type ValueShape, freeShape } from './property-names.ts'

/**
 * Returns a path of Terraform as text in Pulumi's spelling, such as `rules[0].fromPort`. A
 * flattened block has no index. A name that the schema does not have stays unchanged.
 */
export function toPropertyPath(names: PropertyNames, path: CtyPath): string {
  const segments: PathSegment[] = []
  let shape: ValueShape = { kind: 'object', names }
  let isBlockNext = false
  for (const step of path) {
    if (isBlockNext && (step.kind === 'index' || step.kind === 'element')) {
      shape = enterShape(shape, 0)
      isBlockNext = false
      continue
    }
    const name: string | undefined = step.kind === 'attribute' ? step.name : undefined
    const property =
      shape.kind === 'object' && name !== undefined ? shape.names.toPulumi.get(name) : undefined
    segments.push(property?.name ?? segmentOf(step))
    shape = property?.shape ?? enterShape(shape, segmentOf(step))
    isBlockNext = property?.isFlattened ?? false
  }
  return formatPath(segments)
}

function segmentOf(step: CtyStep): string | number {
  switch (step.kind) {
    case 'attribute':
      return step.name
    case 'key':
      return step.key
    case 'index':
      return step.index
    case 'element':
      return step.position
  }
}

function enterShape(shape: ValueShape, segment: string | number): ValueShape {
  switch (shape.kind) {
    case 'list':
    case 'set':
    case 'map':
      return shape.element
    case 'tuple':
      return shape.elements[Number(segment)] ?? freeShape
    default:
      return freeShape
  }
}

/** The part of an object at which a path has arrived: its path in Terraform, and its shape. */
interface PathPlace {
  readonly path: CtyPath
  readonly shape: ValueShape
}

/**
 * Returns the paths of Terraform for a path in Pulumi's spelling. A wildcard stands for each part
 * that one of the values has. Returns none for malformed text, for an unknown name, and for an
 * element of a set, which has no address.
 */
export function toCtyPaths(
  names: PropertyNames,
  propertyPath: string,
  values: readonly CtyValue[] = [],
): readonly CtyPath[] {
  let places: readonly PathPlace[] = [{ path: [], shape: { kind: 'object', names } }]
  const segments = parseIfValid(propertyPath)
  if (segments === undefined || segments.length === 0) return []
  for (const [position, segment] of segments.entries()) {
    const isLast = position === segments.length - 1
    const enterNextSegment = (place: PathPlace): readonly PathPlace[] =>
      segment === anySegment
        ? expandWildcard(place, values).flatMap(name => enterSegment(place, name, isLast))
        : enterSegment(place, segment, isLast)
    places = places.flatMap(enterNextSegment)
  }
  return places.map(({ path }) => path)
}

function parseIfValid(text: string): readonly PathSegment[] | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the place below a segment, or none. A flattened list leads to its block, unless the path
 * ends at the list.
 */
function enterSegment(
  { path, shape }: PathPlace,
  segment: string | number,
  isLast: boolean,
): readonly PathPlace[] {
  switch (shape.kind) {
    case 'object': {
      const tfName = shape.names.toTerraform.get(String(segment))
      const property = tfName === undefined ? undefined : shape.names.toPulumi.get(tfName)
      if (tfName === undefined || property === undefined) return []
      const place = { path: [...path, createAttributeStep(tfName)], shape: property.shape }
      return property.isFlattened && !isLast ? [enterBlock(place)] : [place]
    }
    case 'set':
      return []
    case 'map':
      return [{ path: [...path, createKeyStep(String(segment))], shape: shape.element }]
    case 'list':
    case 'tuple':
      return typeof segment === 'number'
        ? [{ path: [...path, createIndexStep(segment)], shape: enterShape(shape, segment) }]
        : []
    case 'free': {
      const step =
        typeof segment === 'number' ? createIndexStep(segment) : createAttributeStep(segment)
      return [{ path: [...path, step], shape: freeShape }]
    }
  }
}

function enterBlock({ path, shape }: PathPlace): PathPlace {
  const step: CtyStep = shape.kind === 'set' ? { kind: 'element', position: 0 } : createIndexStep(0)
  return { path: [...path, step], shape: enterShape(shape, 0) }
}

/** Returns the segments in Pulumi for all parts that the values have at a place. */
function expandWildcard(
  { path, shape }: PathPlace,
  values: readonly CtyValue[],
): readonly (string | number)[] {
  const children = values.flatMap(value => {
    const part = findAtCtyPath(value, path)
    return part === undefined ? [] : childrenOf(part)
  })
  const segments = children.flatMap(([step]) => {
    const segment = segmentOf(step)
    if (shape.kind !== 'object') return [segment]
    const property = shape.names.toPulumi.get(String(segment))
    return property === undefined ? [] : [property.name]
  })
  return [...new Set(segments)]
}
