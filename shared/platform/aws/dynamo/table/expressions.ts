import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** Values of placeholders. A key is `name` for `:name`. */
export type PlaceholderValues = Readonly<Record<string, AttributeValue>>

/** The names and values of a request's expressions. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Record<string, string>
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>
}

/**
 * Returns the placeholders of expressions. Every attribute is written `#name`, because many useful
 * names are reserved words. Unused values are left out, because DynamoDB refuses them.
 */
export function createPlaceholders(
  expressions: readonly (string | undefined)[],
  values: PlaceholderValues = {},
): Placeholders {
  const text = expressions.join(' ')
  const attributeNames = new Set([...text.matchAll(/#(\w+)/g)].map(([, name = '']) => name))
  const valueNames = new Set([...text.matchAll(/:(\w+)/g)].map(([, name = '']) => name))
  const usedValues = Object.entries(values).filter(([name]) => valueNames.has(name))
  return {
    ...(attributeNames.size === 0
      ? {}
      : {
          ExpressionAttributeNames: Object.fromEntries(
            [...attributeNames].map(name => [`#${name}`, name]),
          ),
        }),
    ...(usedValues.length === 0
      ? {}
      : {
          ExpressionAttributeValues: Object.fromEntries(
            usedValues.map(([name, value]) => [`:${name}`, value]),
          ),
        }),
  }
}

/** Joins two conditions by AND. */
export const joinConditions = (first: string, second: string): string =>
  `(${first}) AND (${second})`

/** A condition that is true even for an absent item. */
export const alwaysTrue = 'attribute_exists(#pk) OR attribute_not_exists(#pk)'

/** A condition that is never true. */
export const neverTrue = 'attribute_exists(#pk) AND attribute_not_exists(#pk)'

/** The condition that the item is absent. */
export const absentCondition = 'attribute_not_exists(#pk)'

/** The condition that the item exists. */
export const existsCondition = 'attribute_exists(#pk)'

/** The condition that this version can read the format of the item. */
export const readableCondition = 'attribute_not_exists(#format) OR #format <= :format'

/** Returns a condition without doubled parentheses, which DynamoDB refuses. */
export function simplifyCondition(condition: string): string {
  const openPositions: number[] = []
  const closeByOpen = new Map<number, number>()
  const characters = condition.split('')
  for (const [index, character] of characters.entries()) {
    if (character === '(') openPositions.push(index)
    const open = character === ')' ? openPositions.pop() : undefined
    if (open !== undefined) closeByOpen.set(open, index)
  }
  // A pair is doubled if it encloses another pair and nothing else.
  const droppedPositions = new Set<number>()
  for (const [open, close] of closeByOpen)
    if (closeByOpen.get(open + 1) === close - 1)
      for (const index of [open, close]) droppedPositions.add(index)
  return characters.filter((_, index) => !droppedPositions.has(index)).join('')
}
