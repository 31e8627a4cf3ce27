import type { CheckFailure } from '../provider.ts'
import type { PropertyMap } from '../../values/value.ts'

/**
 * What is wrong with the inputs of a resource that takes one property. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function checkSingleProperty(news: PropertyMap, property: string): readonly CheckFailure[] {
  const other = [...news.keys()].find(key => key !== property)
  if (other !== undefined) return [{ property: other, reason: `unknown property "${other}"` }]
  if (news.has(property)) return []
  return [{ property, reason: `missing required property "${property}"` }]
}

/**
 * The outputs of a stash: its input, and the input that it was made with. Source:
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
