import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'

/**
 * Facts that a process knows, up to a number of keys. The least recently used key is dropped first.
 */
export interface LruCache<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly forget: (key: string) => void
}

/** Creates an empty cache. Its users read a dropped fact again. */
export function createLruCache<Value>(): LruCache<Value> {
  const all = new Map<string, Value>()
  const set = (key: string, value: Value): void => {
    all.delete(key)
    all.set(key, value)
    const [oldest] = all.keys()
    if (all.size > limits.rememberedMax && oldest !== undefined) all.delete(oldest)
  }
  return {
    get: key => {
      const value = all.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    forget: key => void all.delete(key),
  }
}
