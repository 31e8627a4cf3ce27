import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** Names one item. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** One item, or some of its attributes, as DynamoDB has it. */
export type Item = Readonly<Record<string, AttributeValue>>

/** A value that we keep: texts, numbers, flags and bytes. */
type PlainValue = string | number | boolean | Uint8Array

/** The attributes of plain values; what is undefined is left out. */
export function toItem(values: Readonly<Record<string, PlainValue | undefined>>): Item {
  const item: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) item[name] = attributeOf(value)
  return item
}

/** A set of numbers, which must not be empty. */
export const toNumberSet = (values: readonly number[]): AttributeValue => ({
  NS: values.map(String),
})

/** A set of texts, which must not be empty. */
export const toTextSet = (values: readonly string[]): AttributeValue => ({ SS: [...values] })

/** A text, '' when there is none. */
export const readText = (item: Item, name: string): string => item[name]?.S ?? ''

/** A number, 0 when there is none. */
export const readNumber = (item: Item, name: string): number => Number(item[name]?.N ?? 0)

/** A flag, false when there is none. */
export const readFlag = (item: Item, name: string): boolean => item[name]?.BOOL ?? false

/** The numbers of a set, ascending. */
export const readNumbers = (item: Item, name: string): readonly number[] =>
  (item[name]?.NS ?? []).map(Number).sort((one, other) => one - other)

/** The texts of a set. */
export const readTexts = (item: Item, name: string): readonly string[] => item[name]?.SS ?? []

/** The key in an item. */
export const keyOfItem = (item: Item): Key => ({
  pk: readText(item, 'pk'),
  sk: readText(item, 'sk'),
})

function attributeOf(value: PlainValue): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  return typeof value === 'boolean' ? { BOOL: value } : { B: value }
}
