import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'

/**
 * A cache with at most `cacheEntriesMax` keys. The least recently used key is dropped first.
 */
export interface LruCache<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly forget: (key: string) => void
}

/** Creates an empty cache. Callers must be able to find a dropped value again. */
export function createLruCache<Value>(): LruCache<Value> {
  const entries = new Map<string, Value>()
  const set = (key: string, value: Value): void => {
    entries.delete(key)
    entries.set(key, value)
    const [oldest] = entries.keys()
    if (entries.size > limits.cacheEntriesMax && oldest !== undefined) entries.delete(oldest)
  }
  return {
    get: key => {
      const value = entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    forget: key => void entries.delete(key),
  }
}
