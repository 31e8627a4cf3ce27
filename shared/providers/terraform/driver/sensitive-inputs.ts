import {
  type PropertyMap,
  type PropertyValue,
  isList,
  isMap,
  secretOf,
} from '../../../values/value.ts'
import { propertyNamesOf, type PropertyNames } from '../mapping/property-names.ts'
import type { AttributeSchema, BlockSchema, ObjectSchema } from '../values/schema.ts'

/**
 * Marks as secret the inputs that the schema declares sensitive, at any depth. Write-only inputs
 * are secret, too, because Terraform never records them.
 */
export function markSensitiveInputs(
  shape: BlockSchema | ObjectSchema,
  names: PropertyNames,
  inputs: PropertyMap,
): PropertyMap {
  return new Map(
    [...inputs].map(([name, value]): readonly [string, PropertyValue] => {
      const tfName = names.toTerraform.get(name) ?? ''
      const attribute = shape.attributes.get(tfName)
      const block = 'blocks' in shape ? shape.blocks.get(tfName) : undefined
      if (attribute !== undefined) return [name, markAttribute(attribute, value)]
      return [name, block === undefined ? value : markObjects(block.block, block.nesting, value)]
    }),
  )
}

function markAttribute(attribute: AttributeSchema, value: PropertyValue): PropertyValue {
  if (value === null) return value
  if (attribute.isSensitive === true || attribute.isWriteOnly === true) return secretOf(value)
  return attribute.kind === 'nested'
    ? markObjects(attribute.nested, attribute.nested.nesting, value)
    : value
}

/**
 * Marks the sensitive parts of the objects in a value. A flattened block is one object in the place
 * of a list.
 */
function markObjects(
  shape: BlockSchema | ObjectSchema,
  nesting: string,
  value: PropertyValue,
): PropertyValue {
  const names = propertyNamesOf(shape)
  if (isList(value)) return value.map(item => markObjects(shape, 'single', item))
  if (!isMap(value)) return value
  return nesting === 'map'
    ? new Map([...value].map(([key, item]) => [key, markObjects(shape, 'single', item)]))
    : markSensitiveInputs(shape, names, value)
}
