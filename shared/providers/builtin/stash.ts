import type { CheckFailure } from '../provider.ts'
import type { PropertyMap } from '../../values/value.ts'

/**
 * Returns a failure if the inputs have another property than `property`, or lack `property`.
 * Source: docs/spec/providers.md#built-in-provider.
 */
export function checkSingleProperty(
  inputs: PropertyMap,
  property: string,
): readonly CheckFailure[] {
  const unknownKey = [...inputs.keys()].find(key => key !== property)
  if (unknownKey !== undefined)
    return [{ property: unknownKey, reason: `unknown property "${unknownKey}"` }]
  if (inputs.has(property)) return []
  return [{ property, reason: `missing required property "${property}"` }]
}

/**
 * Returns the outputs of a stash, the built-in resource `pulumi:index:Stash`. `input` is the
 * current input, and `output` is the first one. Source: docs/spec/providers.md#built-in-provider.
 */
export function createStashOutputs(
  inputs: PropertyMap,
  oldOutputs: PropertyMap | undefined,
): PropertyMap {
  const input = inputs.get('input') ?? null
  const output = oldOutputs === undefined ? input : oldOutputs.get('output')
  return new Map([
    ['input', input],
    ['output', output ?? null],
  ])
}
