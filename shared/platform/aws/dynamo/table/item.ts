import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** The key of an item. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** An item, or some of its attributes, in DynamoDB's format. */
export type Item = Readonly<Record<string, AttributeValue>>

/** A value that becomes one attribute: text, number, flag or bytes. */
type PlainValue = string | number | boolean | Uint8Array

/** Converts plain values to attributes. Undefined values are left out. */
export function toItem(values: Readonly<Record<string, PlainValue | undefined>>): Item {
  const item: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) item[name] = attributeOf(value)
  return item
}

/** Creates a set of numbers, which must not be empty. */
export const toNumberSet = (values: readonly number[]): AttributeValue => ({
  NS: values.map(String),
})

/** Creates a set of texts, which must not be empty. */
export const toTextSet = (values: readonly string[]): AttributeValue => ({ SS: [...values] })

/** Returns a text attribute, '' when it is absent. */
export const readText = (item: Item, name: string): string => item[name]?.S ?? ''

/** Returns a number attribute, 0 when it is absent. */
export const readNumber = (item: Item, name: string): number => Number(item[name]?.N ?? 0)

/** Returns a flag attribute, false when it is absent. */
export const readFlag = (item: Item, name: string): boolean => item[name]?.BOOL ?? false

/** Returns the numbers of a set, ascending. */
export const readNumbers = (item: Item, name: string): readonly number[] =>
  (item[name]?.NS ?? []).map(Number).sort((one, other) => one - other)

/** Returns the texts of a set. */
export const readTexts = (item: Item, name: string): readonly string[] => item[name]?.SS ?? []

/** Returns the key of an item. */
export const keyOfItem = (item: Item): Key => ({
  pk: readText(item, 'pk'),
  sk: readText(item, 'sk'),
})

function attributeOf(value: PlainValue): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  return typeof value === 'boolean' ? { BOOL: value } : { B: value }
}
