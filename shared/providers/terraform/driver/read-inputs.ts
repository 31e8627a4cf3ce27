import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { isList, isMap, isSecret, secretOf } from '../../../values/value.ts'
import type { ObjectSchema } from '../values/schema.ts'
import type { ResourceType } from './terraform-package.ts'

/**
 * Returns the inputs of an object that was read without inputs: its outputs, without the values
 * that only the provider sets.
 */
export function deriveInputs(resource: ResourceType, outputs: PropertyMap): PropertyMap {
  const { block, names } = resource
  const isInput = (name: string): boolean => {
    const tfName = names.toTerraform.get(name)
    if (tfName === undefined || block.blocks.has(tfName)) return tfName !== undefined
    const attribute = block.attributes.get(tfName)
    return attribute?.isRequired === true || attribute?.isOptional === true
  }
  return new Map([...outputs].filter(([name]) => isInput(name)))
}

/**
 * Returns the inputs of an object that was read again: the old inputs, with the values that the
 * object has now. Inputs without such a value are dropped, except inputs that states never contain,
 * such as write-only ones.
 */
export function updateInputs(
  resource: ResourceType,
  { inputs, outputs }: { readonly inputs: PropertyMap; readonly outputs: PropertyMap },
): PropertyMap {
  const { block, names } = resource
  const updated = new Map<string, PropertyValue>()
  for (const [name, value] of inputs) {
    const attribute = block.attributes.get(names.toTerraform.get(name) ?? '')
    const output = outputs.get(name)
    const isInputOnly =
      attribute === undefined
        ? !names.toTerraform.has(name)
        : attribute.isWriteOnly === true ||
          (attribute.kind === 'nested' && hasWriteOnly(attribute.nested))
    if (isInputOnly) updated.set(name, value)
    else if (output !== undefined) updated.set(name, updateValue(value, output))
  }
  return updated
}

function hasWriteOnly({ attributes }: ObjectSchema): boolean {
  return [...attributes.values()].some(
    attribute =>
      attribute.isWriteOnly === true ||
      (attribute.kind === 'nested' && hasWriteOnly(attribute.nested)),
  )
}

/**
 * Returns an input with the current value of its output. An object keeps only the keys that the
 * program set, because providers add keys of their own.
 */
function updateValue(input: PropertyValue, output: PropertyValue): PropertyValue {
  if (isSecret(input)) return secretOf(updateValue(input.value, output))
  if (isSecret(output)) return secretOf(updateValue(input, output.value))
  if (isMap(input) && isMap(output))
    return new Map(
      [...input].flatMap(([key, value]) => {
        const part = output.get(key)
        return part === undefined ? [] : [[key, updateValue(value, part)] as const]
      }),
    )
  if (isList(input) && isList(output) && input.length === output.length)
    return output.map((part, index) => updateValue(input[index] ?? null, part))
  return isEquivalent(input, output) ? input : output
}

/** Reports whether two scalars have equal texts: providers return `1` for `"1"`, and vice versa. */
function isEquivalent(input: PropertyValue, output: PropertyValue): boolean {
  const isScalar = (value: PropertyValue): value is string | number | boolean =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar(input) && isScalar(output) && String(input) === String(output)
}
