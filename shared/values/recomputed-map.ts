import type { PropertyMap, PropertyValue } from './value.ts'

/**
 * A view of an object that is far larger than its source. The view computes the object when it is
 * read, and again after the garbage collector has removed it. `compute` must not throw.
 */
export class RecomputedMap implements PropertyMap {
  readonly #compute: () => PropertyMap
  #kept: WeakRef<PropertyMap> | undefined

  constructor(compute: () => PropertyMap) {
    this.#compute = compute
  }

  get #map(): PropertyMap {
    const kept = this.#kept?.deref()
    if (kept !== undefined) return kept
    const computed = this.#compute()
    this.#kept = new WeakRef(computed)
    return computed
  }

  get size(): number {
    return this.#map.size
  }

  get(key: string): PropertyValue | undefined {
    return this.#map.get(key)
  }

  has(key: string): boolean {
    return this.#map.has(key)
  }

  keys(): MapIterator<string> {
    return this.#map.keys()
  }

  values(): MapIterator<PropertyValue> {
    return this.#map.values()
  }

  entries(): MapIterator<[string, PropertyValue]> {
    return this.#map.entries()
  }

  [Symbol.iterator](): MapIterator<[string, PropertyValue]> {
    return this.#map.entries()
  }

  forEach(visit: (value: PropertyValue, key: string, map: PropertyMap) => void): void {
    this.#map.forEach(visit)
  }
}
