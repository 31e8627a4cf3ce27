import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** Values of placeholders, `:name` without the colon. */
export type Values = Readonly<Record<string, AttributeValue>>

/** What a request says of the names and values in its expressions. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Record<string, string>
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>
}

/**
 * The placeholders of expressions. Every attribute is written `#name`, for many good names are
 * reserved words; of the values only those are sent that are used, for the others are an error.
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

/** Both conditions. */
export const andConditions = (one: string, other: string): string => `(${one}) AND (${other})`

/** Holds of every item, also of one that is not there; and of none. */
export const [always, never] = [
  'attribute_exists(#pk) OR attribute_not_exists(#pk)',
  'attribute_exists(#pk) AND attribute_not_exists(#pk)',
] as const

/** The item is not there. */
export const isAbsent = 'attribute_not_exists(#pk)'

/** The item is there. */
export const isThere = 'attribute_exists(#pk)'

/** Writes to an item that it changes unless a newer version wrote it. */
export const isReadable = 'attribute_not_exists(#format) OR #format <= :format'

/**
 * A condition without parentheses around parentheses: DynamoDB takes them for a mistake and refuses
 * the request.
 */
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
