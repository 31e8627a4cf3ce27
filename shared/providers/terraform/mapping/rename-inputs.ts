import { type PathSegment, formatPath } from '../../../values/path.ts'
import {
  type PropertyMap,
  type PropertyValue,
  type SpecialValue,
  isList,
  isMap,
  isSpecial,
} from '../../../values/value.ts'
import {
  type PropertyName,
  type PropertyNames,
  type ValueShape,
  freeShape,
} from './property-names.ts'

/** Inputs with the names and blocks of Terraform, as `buildConfig` reads them. */
export interface TerraformInputs {
  readonly inputs: PropertyMap
  /** The paths of the dropped properties that the schema does not have, in Pulumi's spelling. */
  readonly droppedPaths: readonly string[]
}

interface InputPlace {
  readonly path: readonly PathSegment[]
  readonly droppedPaths: string[]
}

/**
 * Gives inputs the names of Terraform, and wraps flattened blocks in lists. Secrets, outputs and
 * unknown values keep their kind. Properties that the schema does not have are dropped and
 * reported. Names that begin with `__` belong to Pulumi, and are not reported.
 */
export function toTerraformInputs(names: PropertyNames, inputs: PropertyMap): TerraformInputs {
  const droppedPaths: string[] = []
  return { inputs: renameObject(inputs, names, { path: [], droppedPaths }), droppedPaths }
}

function renameObject(map: PropertyMap, names: PropertyNames, place: InputPlace): PropertyMap {
  const renamed = new Map<string, PropertyValue>()
  for (const [name, value] of map) {
    const tfName = names.toTerraform.get(name)
    const property = tfName === undefined ? undefined : names.toPulumi.get(tfName)
    const propertyPlace = enterInput(place, name)
    if (tfName !== undefined && property !== undefined)
      renamed.set(tfName, renameProperty(value, property, propertyPlace))
    else if (!name.startsWith('__')) place.droppedPaths.push(formatPath(propertyPlace.path))
  }
  return renamed
}

function enterInput(place: InputPlace, segment: PathSegment): InputPlace {
  return { ...place, path: [...place.path, segment] }
}

function renameProperty(
  value: PropertyValue,
  { shape, isFlattened }: PropertyName,
  place: InputPlace,
): PropertyValue {
  if (!isFlattened || (shape.kind !== 'list' && shape.kind !== 'set'))
    return renameValue(value, shape, place)
  const wrap = (block: PropertyValue): PropertyValue => {
    if (isSpecial(block)) return mapWrapped(block, wrap)
    return block === null ? null : [renameValue(block, shape.element, place)]
  }
  return wrap(value)
}

function renameValue(value: PropertyValue, shape: ValueShape, place: InputPlace): PropertyValue {
  if (isSpecial(value)) return mapWrapped(value, inner => renameValue(inner, shape, place))
  switch (shape.kind) {
    case 'free':
      return value
    case 'object':
      return isMap(value) ? renameObject(value, shape.names, place) : value
    case 'map':
      return isMap(value) ? renameEntries(value, shape.element, place) : value
    default: {
      if (!isList(value)) return value
      const itemShapeOf = (index: number): ValueShape =>
        shape.kind === 'tuple' ? (shape.elements[index] ?? freeShape) : shape.element
      return value.map((item, index) =>
        renameValue(item, itemShapeOf(index), enterInput(place, index)),
      )
    }
  }
}

function renameEntries(map: PropertyMap, element: ValueShape, place: InputPlace): PropertyMap {
  return new Map(
    [...map].map(([key, item]) => [key, renameValue(item, element, enterInput(place, key))]),
  )
}

/** Converts the value inside a secret or output. Other special values stay unchanged. */
export function mapWrapped(
  special: SpecialValue,
  convert: (value: PropertyValue) => PropertyValue,
): PropertyValue {
  if (special.kind === 'secret') return { ...special, value: convert(special.value) }
  return special.kind === 'output' && special.value !== undefined
    ? { ...special, value: convert(special.value) }
    : special
}
