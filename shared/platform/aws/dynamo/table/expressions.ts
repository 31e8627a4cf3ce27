import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** Values of placeholders. A key is `name` for `:name`. */
export type Values = Readonly<Record<string, AttributeValue>>

/** The names and values of a request's expressions. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Record<string, string>
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>
}

/**
 * Returns the placeholders of expressions. Every attribute is written `#name`, because many useful
 * names are reserved words. Only used values are sent, because DynamoDB refuses unused ones.
 */
export function createPlaceholders(
  expressions: readonly (string | undefined)[],
  values: Values = {},
): Placeholders {
  const all = expressions.join(' ')
  const names = new Set([...all.matchAll(/#(\w+)/g)].map(([, name = '']) => name))
  const used = new Set([...all.matchAll(/:(\w+)/g)].map(([, name = '']) => name))
  const usedValues = Object.entries(values).filter(([name]) => used.has(name))
  return {
    ...(names.size === 0
      ? {}
      : { ExpressionAttributeNames: Object.fromEntries([...names].map(one => [`#${one}`, one])) }),
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
export const andConditions = (one: string, other: string): string => `(${one}) AND (${other})`

/** Conditions that hold for every item (an absent one included), and for none. */
export const [always, never] = [
  'attribute_exists(#pk) OR attribute_not_exists(#pk)',
  'attribute_exists(#pk) AND attribute_not_exists(#pk)',
] as const

/** The condition that the item is absent. */
export const isAbsent = 'attribute_not_exists(#pk)'

/** The condition that the item exists. */
export const isThere = 'attribute_exists(#pk)'

/** The condition that no newer version wrote the item. */
export const isReadable = 'attribute_not_exists(#format) OR #format <= :format'

/** Returns a condition without doubled parentheses, which DynamoDB refuses. */
export function simplifyCondition(condition: string): string {
  const opened: number[] = []
  const closes = new Map<number, number>()
  const letters = condition.split('')
  for (const [at, letter] of letters.entries()) {
    if (letter === '(') opened.push(at)
    const open = letter === ')' ? opened.pop() : undefined
    if (open !== undefined) closes.set(open, at)
  }
  const dropped = new Set<number>()
  for (const [open, close] of closes)
    if (closes.get(open + 1) === close - 1) for (const at of [open, close]) dropped.add(at)
  return letters.filter((_, at) => !dropped.has(at)).join('')
}
