import type { PropertyMap, PropertyValue } from './value.ts'

/**
 * Maximum number of computed objects that all views together keep. An engine reads far fewer states
 * at the same time.
 */
const keptMax = 4096

/**
 * A view of an object that can be computed from `source`, which is far smaller. The view computes
 * the object when it is read, and keeps it until `keptMax` other views have computed theirs.
 * `compute` must not throw. Many views share one `compute`, since a closure for each would need more
 * memory than the view.
 */
export class RecomputedMap<Source> implements PropertyMap {
  static readonly #keepingViews: RecomputedMap<unknown>[] = []
  static #oldestIndex = 0
  readonly #source: Source
  readonly #compute: (source: Source) => PropertyMap
  #kept: PropertyMap | undefined

  constructor(source: Source, compute: (source: Source) => PropertyMap) {
    this.#source = source
    this.#compute = compute
  }

  get #map(): PropertyMap {
    if (this.#kept !== undefined) return this.#kept
    const map = this.#compute(this.#source)
    this.#kept = map
    const keepingViews = RecomputedMap.#keepingViews
    const oldest = keepingViews[RecomputedMap.#oldestIndex]
    if (oldest !== undefined) oldest.#kept = undefined
    keepingViews[RecomputedMap.#oldestIndex] = this as RecomputedMap<unknown>
    RecomputedMap.#oldestIndex = (RecomputedMap.#oldestIndex + 1) % keptMax
    return map
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
