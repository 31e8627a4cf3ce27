import type { Json } from './stored.ts'

/** A JSON object. */
export type StoredJsonObject = { readonly [key: string]: Json }

/** Whether a JSON value is an object. */
export function isJsonObject(json: Json | undefined): json is StoredJsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** A text field; '' when it is absent. */
export function readTextField(stored: StoredJsonObject, field: string): string {
  const value = stored[field]
  return typeof value === 'string' ? value : ''
}

/** A field that is a list of texts; empty when it is absent or null. */
export function readTextListField(stored: StoredJsonObject, field: string): readonly string[] {
  return toTextList(stored[field])
}

/** A field that is an object of lists of texts; a list that is null is empty. */
export function readListMapField(
  stored: StoredJsonObject,
  field: string,
): ReadonlyMap<string, string[]> {
  const value = stored[field]
  if (!isJsonObject(value)) return new Map()
  return new Map(Object.entries(value).map(([key, texts]) => [key, toTextList(texts)]))
}

/** All texts of a field that is an object of lists of texts. */
export function readNestedTexts(stored: StoredJsonObject, field: string): readonly string[] {
  const value = stored[field]
  return isJsonObject(value) ? Object.values(value).flatMap(toTextList) : []
}

function toTextList(json: Json | undefined): string[] {
  return Array.isArray(json) ? json.filter((item: Json) => typeof item === 'string') : []
}
