import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { isList, isMap, isSecret, secretOf } from '../../../values/value.ts'
import { type PropertyNames, propertyNamesOf } from '../mapping/property-names.ts'
import type { BlockSchema, NestedBlockSchema, ObjectSchema } from '../values/schema.ts'
import type { ResourceType } from './terraform-package.ts'

/** A schema of objects, with the names of their properties. */
interface NamedSchema {
  readonly schema: BlockSchema | ObjectSchema
  readonly names: PropertyNames
}

/** The objects in a property: nested attributes or blocks. */
interface NestedObjects {
  readonly schema: BlockSchema | ObjectSchema
  readonly nesting: NestedBlockSchema['nesting']
}

/**
 * Returns the inputs of an object that was read without inputs: its outputs, without the values
 * that only the provider sets.
 */
export function deriveInputs(resource: ResourceType, outputs: PropertyMap): PropertyMap {
  const { block, names } = resource
  const isInput = (name: string): boolean => {
    const tfName = names.toTerraform.get(name)
    if (tfName === undefined) return false
    if (block.blocks.has(tfName)) return true
    const attribute = block.attributes.get(tfName)
    return attribute?.isRequired === true || attribute?.isOptional === true
  }
  return new Map([...outputs].filter(([name]) => isInput(name)))
}

/**
 * Returns the inputs of an object that was read again: the old inputs, with the values that the
 * object has now. Inputs without a current value are dropped, except inputs that states never
 * contain.
 */
export function updateInputs(
  { block, names }: ResourceType,
  { inputs, outputs }: { readonly inputs: PropertyMap; readonly outputs: PropertyMap },
): PropertyMap {
  return updateObject({ schema: block, names }, inputs, outputs)
}

function updateObject(object: NamedSchema, inputs: PropertyMap, outputs: PropertyMap): PropertyMap {
  return new Map(
    [...inputs].flatMap(([name, value]) => {
      if (isNeverInState(object, name)) return [[name, value] as const]
      return updateEntry([name, value], outputs.get(name), findNestedObjects(object, name))
    }),
  )
}

/**
 * Reports whether states never contain an input: it is write-only, or Terraform has no such
 * property. Pulumi adds such properties, with names that begin with `__`. Blocks are no attributes,
 * and states contain them.
 */
function isNeverInState({ schema, names }: NamedSchema, name: string): boolean {
  const tfName = names.toTerraform.get(name)
  return tfName === undefined || schema.attributes.get(tfName)?.isWriteOnly === true
}

function findNestedObjects(
  { schema, names }: NamedSchema,
  name: string,
): NestedObjects | undefined {
  const tfName = names.toTerraform.get(name) ?? ''
  const attribute = schema.attributes.get(tfName)
  if (attribute?.kind === 'nested')
    return { schema: attribute.nested, nesting: attribute.nested.nesting }
  const nestedBlock = 'blocks' in schema ? schema.blocks.get(tfName) : undefined
  return nestedBlock && { schema: nestedBlock.block, nesting: nestedBlock.nesting }
}

/** Reports whether objects have write-only values, at any depth. */
function hasWriteOnly({ schema }: Pick<NestedObjects, 'schema'>): boolean {
  const blocks = 'blocks' in schema ? [...schema.blocks.values()] : []
  return (
    blocks.some(({ block }) => hasWriteOnly({ schema: block })) ||
    [...schema.attributes.values()].some(
      attribute =>
        attribute.isWriteOnly === true ||
        (attribute.kind === 'nested' && hasWriteOnly({ schema: attribute.nested })),
    )
  )
}

/**
 * Returns the updated entry of a map. Without an output, returns no entry, unless the objects in
 * the input can have write-only values.
 */
function updateEntry(
  [name, input]: readonly [string, PropertyValue],
  output: PropertyValue | undefined,
  nested: NestedObjects | undefined,
): readonly (readonly [string, PropertyValue])[] {
  if (output !== undefined) return [[name, updateValue(input, output, nested)]]
  return nested !== undefined && hasWriteOnly(nested) ? [[name, input]] : []
}

/**
 * Returns an input with the current value of its output. An object keeps only the keys that the
 * program set, because providers add keys of their own. A list with write-only values is not
 * updated if its length has changed, because its items cannot be matched. `nested`: the schema of
 * the objects in the value, if it has one.
 */
function updateValue(
  input: PropertyValue,
  output: PropertyValue,
  nested: NestedObjects | undefined,
): PropertyValue {
  if (isSecret(input)) return secretOf(updateValue(input.value, output, nested))
  if (isSecret(output)) return secretOf(updateValue(input, output.value, nested))
  const itemSchema = nested && { ...nested, nesting: 'single' as const }
  if (isMap(input) && isMap(output)) {
    if (nested !== undefined && nested.nesting !== 'map')
      return updateObject({ ...nested, names: propertyNamesOf(nested.schema) }, input, output)
    return new Map(
      [...input].flatMap(entry => updateEntry(entry, output.get(entry[0]), itemSchema)),
    )
  }
  if (isList(input) && isList(output)) {
    if (input.length === output.length)
      return output.map((part, index) => updateValue(input[index] ?? null, part, itemSchema))
    if (nested !== undefined && hasWriteOnly(nested)) return input
  }
  return isEquivalent(input, output) ? input : output
}

/** Reports whether two scalars have equal texts: providers return `1` for `"1"`, and vice versa. */
function isEquivalent(input: PropertyValue, output: PropertyValue): boolean {
  const isScalar = (value: PropertyValue): value is string | number | boolean =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar(input) && isScalar(output) && String(input) === String(output)
}
