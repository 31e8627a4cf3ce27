import { queryLimits } from '../../config/query-limits.ts'
import { isStoredSecret } from '../../state/diff-states.ts'
import { isJsonObject } from '../../state/stored-fields.ts'
import type { Json } from '../../state/stored.ts'
import { formatPath, type PathSegment } from '../../values/path.ts'
import type { QueryValue } from './query-schema.ts'

/** A leaf of the properties of a resource. A secret has no value. Booleans are 0 and 1. */
export interface PropertyLeaf {
  readonly path: string
  readonly value: QueryValue
  readonly isSecret: boolean
}

/** Yields the leaves of stored properties. An empty map or list is a leaf with its JSON. */
export function* flattenProperties(
  value: Json | undefined,
  path: readonly PathSegment[] = [],
): Generator<PropertyLeaf> {
  if (value === undefined) return
  if (isStoredSecret(value)) yield { path: formatPath(path), value: null, isSecret: true }
  else if (Array.isArray(value) && value.length > 0)
    for (const [index, item] of value.entries()) yield* flattenProperties(item, [...path, index])
  else if (isJsonObject(value) && Object.keys(value).length > 0)
    for (const [key, item] of Object.entries(value)) yield* flattenProperties(item, [...path, key])
  else if (path.length > 0)
    yield { path: formatPath(path), value: toQueryValue(value), isSecret: false }
}

function toQueryValue(value: Json): QueryValue {
  if (value === null || typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, queryLimits.valueCharsMax)
}
