import type { PropertyMap, PropertyValue } from './value.ts'

/**
 * Maximum number of computed objects that all views together keep. An engine reads far fewer states
 * at the same time.
 */
const computedObjectsMax = 4096

/**
 * A view of an object that can be computed from `source`, which is far smaller. The view computes
 * the object when the view is read, and keeps it until `computedObjectsMax` other views have
 * computed theirs. `compute` must not throw. Many views share one `compute`, since a closure for
 * each would need more memory than the view.
 */
export class RecomputedMap<Source> implements PropertyMap {
  /** A ring buffer of the views that keep a computed object. */
  static readonly #computedViews: RecomputedMap<unknown>[] = []
  /** The index of the view that drops its object next. */
  static #oldestIndex = 0
  readonly #source: Source
  readonly #compute: (source: Source) => PropertyMap
  #computedMap: PropertyMap | undefined

  constructor(source: Source, compute: (source: Source) => PropertyMap) {
    this.#source = source
    this.#compute = compute
  }

  get #map(): PropertyMap {
    if (this.#computedMap !== undefined) return this.#computedMap
    const map = this.#compute(this.#source)
    this.#computedMap = map
    const computedViews = RecomputedMap.#computedViews
    const oldestView = computedViews[RecomputedMap.#oldestIndex]
    if (oldestView !== undefined) oldestView.#computedMap = undefined
    computedViews[RecomputedMap.#oldestIndex] = this as RecomputedMap<unknown>
    RecomputedMap.#oldestIndex = (RecomputedMap.#oldestIndex + 1) % computedObjectsMax
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
