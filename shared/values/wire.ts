import type { PropertyMap, PropertyValue } from './value.ts'
import type { WireOptions } from './wire-options.ts'
import { readMap, readValue } from './wire-read.ts'
import { writeMap, writeValue } from './wire-write.ts'

export type { WireOptions } from './wire-options.ts'

/**
 * Encodes properties as the fields of a Struct. Throws VALUE_MALFORMED with the path
 * (docs/spec/property-values.md#wire-encoding).
 */
export function toWire(map: PropertyMap, options: WireOptions): Record<string, unknown> {
  return writeMap(map, { options, path: [] })
}

/**
 * Decodes the fields of a Struct as properties. An absent Struct has no properties. Throws
 * VALUE_MALFORMED with the path.
 */
export function fromWire(
  struct: Record<string, unknown> | undefined,
  options: WireOptions,
): PropertyMap {
  return struct === undefined ? new Map() : readMap(struct, { options, path: [] })
}

/**
 * Encodes one value for the wire. Returns undefined for a dropped unknown. `key` names the value in
 * errors.
 */
export function valueToWire(value: PropertyValue, options: WireOptions, key = 'value'): unknown {
  return writeValue(value, { options, path: [key] })
}

/**
 * Decodes one value from the wire. Returns undefined for a dropped unknown. `key` names the value
 * in errors.
 */
export function valueFromWire(
  value: unknown,
  options: WireOptions,
  key = 'value',
): PropertyValue | undefined {
  return readValue(value, { options, path: [key] })
}
