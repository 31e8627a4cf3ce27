import type { Json } from './stored.ts'

/** A JSON object. */
export type StoredJsonObject = { readonly [key: string]: Json }

/** Reports whether a JSON value is an object. */
export function isJsonObject(json: Json | undefined): json is StoredJsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** Returns a text field; '' when absent. */
export function readTextField(object: StoredJsonObject, field: string): string {
  const value = object[field]
  return typeof value === 'string' ? value : ''
}

const noTexts: readonly string[] = []

/** Returns a field with a list of texts; empty when absent or null. */
export function readTextListField(object: StoredJsonObject, field: string): readonly string[] {
  return toTextList(object[field])
}

const emptyListMap: ReadonlyMap<string, readonly string[]> = new Map()

/** Returns a field with an object of text lists. A null list is empty. */
export function readListMapField(
  object: StoredJsonObject,
  field: string,
): ReadonlyMap<string, readonly string[]> {
  const value = object[field]
  if (!isJsonObject(value)) return emptyListMap
  return new Map(Object.entries(value).map(([key, texts]) => [key, toTextList(texts)]))
}

/** Returns all texts of a field with an object of text lists. */
export function readNestedTexts(object: StoredJsonObject, field: string): readonly string[] {
  const value = object[field]
  return isJsonObject(value) ? Object.values(value).flatMap(toTextList) : noTexts
}

function toTextList(json: Json | undefined): readonly string[] {
  if (!Array.isArray(json)) return noTexts
  // Most lists have only texts, and need no copy.
  for (const item of json)
    if (typeof item !== 'string') return json.filter((text: Json) => typeof text === 'string')
  return json
}
