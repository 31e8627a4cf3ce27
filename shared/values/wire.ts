import type { PropertyMap, PropertyValue } from './value.ts'
import type { WireOptions } from './wire-options.ts'
import { readMap, readValue } from './wire-read.ts'
import { writeMap, writeValue } from './wire-write.ts'

export type { WireOptions } from './wire-options.ts'

/**
 * Properties as the fields of a Struct. Throws VALUE_MALFORMED with the path
 * (docs/spec/property-values.md#wire-encoding).
 */
export function toWire(map: PropertyMap, options: WireOptions): Record<string, unknown> {
  return writeMap(map, { options, path: [] })
}

/**
 * The fields of a Struct as properties; no Struct means none. Throws VALUE_MALFORMED with the path.
 */
export function fromWire(
  struct: Record<string, unknown> | undefined,
  options: WireOptions,
): PropertyMap {
  return struct === undefined ? new Map() : readMap(struct, { options, path: [] })
}

/**
 * One value for the wire; undefined when it is an unknown and those are dropped. `key` is for
 * errors.
 */
export function valueToWire(value: PropertyValue, options: WireOptions, key = 'value'): unknown {
  return writeValue(value, { options, path: [key] })
}

/**
 * One value from the wire; undefined when it is an unknown and those are dropped. `key` is for
 * errors.
 */
export function valueFromWire(
  value: unknown,
  options: WireOptions,
  key = 'value',
): PropertyValue | undefined {
  return readValue(value, { options, path: [key] })
}
