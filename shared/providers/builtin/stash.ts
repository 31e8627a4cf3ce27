import type { CheckFailure } from '../provider.ts'
import type { PropertyMap } from '../../values/value.ts'

/**
 * Checks the inputs of a resource with a single property. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function checkSingleProperty(news: PropertyMap, property: string): readonly CheckFailure[] {
  const other = [...news.keys()].find(key => key !== property)
  if (other !== undefined) return [{ property: other, reason: `unknown property "${other}"` }]
  if (news.has(property)) return []
  return [{ property, reason: `missing required property "${property}"` }]
}

/**
 * Returns the outputs of a stash: its input, and the input of its creation. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function createStashOutputs(
  inputs: PropertyMap,
  before: PropertyMap | undefined,
): PropertyMap {
  const input = inputs.get('input') ?? null
  const output = before === undefined ? input : before.get('output')
  return new Map([
    ['input', input],
    ['output', output ?? null],
  ])
}
