import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import type { CheckedType, PropertySchemas, PropertyType } from './checked-schema.ts'

/** Maximum depth of a sample. A sample of a type that contains itself would have no end. */
const depthMax = 8

/**
 * Returns inputs with a sample of each required property. `label` makes texts unique. Returns
 * undefined if a required property has a type without samples, such as an asset.
 */
export function createSampleInputs(type: CheckedType, label: string): PropertyMap | undefined {
  return createSampleMap(type.inputs, label, 0)
}

function createSampleMap(
  properties: PropertySchemas,
  label: string,
  depth: number,
): PropertyMap | undefined {
  const sample = new Map<string, PropertyValue>()
  for (const [name, property] of properties) {
    if (!property.isRequired) continue
    const value = createSample(property.type, label, depth + 1)
    if (value === undefined) return undefined
    sample.set(name, value)
  }
  return sample
}

function createSample(type: PropertyType, label: string, depth: number): PropertyValue | undefined {
  if (depth > depthMax) return undefined
  switch (type.kind) {
    case 'string':
    case 'any':
      return label
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    case 'asset':
      return undefined
    case 'choice':
      return type.values[0]
    case 'list': {
      const element = createSample(type.element, label, depth + 1)
      return element === undefined ? undefined : [element]
    }
    case 'map': {
      const element = createSample(type.element, label, depth + 1)
      return element === undefined ? undefined : new Map([['key', element]])
    }
    case 'object':
      return createSampleMap(type.readProperties(), label, depth)
  }
}

/**
 * Returns a value that a property of this type cannot have. A provider cannot convert the value,
 * unlike the text '1' for a number. Returns undefined for a property of the type `any`.
 */
export function createWrongValue(type: PropertyType): PropertyValue | undefined {
  switch (type.kind) {
    case 'any':
      return undefined
    case 'string':
    case 'choice':
      return [new Map([['unexpected', 'value']])]
    case 'number':
    case 'integer':
    case 'boolean':
    case 'asset':
    case 'list':
    case 'map':
    case 'object':
      return 'a text where none is expected'
  }
}
