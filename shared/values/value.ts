/**
 * values: property values, the union that programs, providers and states share, with its codecs.
 * Imports errors, config and names.
 *
 * Invariants: unknown, secret, output, asset, archive, reference and byte string are kinds of their
 * own, because JSON cannot express them. Null differs from absent. Objects are Maps, because a
 * property may have the name `__proto__`. Values are immutable.
 */
import type { Urn } from '../names/urn.ts'

/** An object value, or the inputs or outputs of a resource. */
export type PropertyMap = ReadonlyMap<string, PropertyValue>

/**
 * Any property value. Scalars, null, arrays and objects are plain; every other value has a `kind`.
 */
export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | readonly PropertyValue[]
  | PropertyMap
  | SpecialValue

/** The values that are neither scalar, array nor object. */
export type SpecialValue =
  | Secret
  | Unknown
  | Output
  | Asset
  | Archive
  | ResourceReference
  | ByteString

/** A value that must not be shown in plaintext. */
export interface Secret {
  readonly kind: 'secret'
  readonly value: PropertyValue
}

/** A value that is not known yet (preview). */
export interface Unknown {
  readonly kind: 'unknown'
}

/**
 * A value with its dependencies, as passed to components and functions. An output without `value`
 * is unknown.
 */
export interface Output {
  readonly kind: 'output'
  readonly value?: PropertyValue
  readonly secret: boolean
  readonly dependencies: readonly Urn[]
}

/**
 * Text, file or address. `hash` is the lower-case hex SHA-256 of the contents ('' = not computed).
 * Without a source, the contents are elided.
 */
export interface Asset {
  readonly kind: 'asset'
  readonly hash: string
  readonly source:
    | { readonly text: string }
    | { readonly path: string }
    | { readonly uri: string }
    | undefined
}

/**
 * Named assets, a folder or archive file, or an address. The hash is defined in
 * docs/spec/property-values.md#assets-and-archives.
 */
export interface Archive {
  readonly kind: 'archive'
  readonly hash: string
  readonly source:
    | { readonly assets: ReadonlyMap<string, Asset | Archive> }
    | { readonly path: string }
    | { readonly uri: string }
    | undefined
}

/**
 * A reference to a resource. `id` is absent for components, and unknown while the resource has
 * none.
 */
export interface ResourceReference {
  readonly kind: 'reference'
  readonly urn: Urn
  readonly id?: string | Unknown
  readonly packageVersion: string
  readonly name?: string
  readonly type?: string
}

/** A string that is not valid UTF-8. */
export interface ByteString {
  readonly kind: 'bytes'
  readonly base64: string
}

/** The unknown value. */
export const unknown: Unknown = { kind: 'unknown' }

/** The empty object. */
export const emptyMap: PropertyMap = new Map()

/** Reports whether a value is an object. */
export function isMap(value: PropertyValue | undefined): value is PropertyMap {
  return typeof value === 'object' && value !== null && !isList(value) && !('kind' in value)
}

/** Reports whether a value is an array. */
export function isList(value: PropertyValue | undefined): value is readonly PropertyValue[] {
  return Array.isArray(value)
}

/** Reports whether a value is one of the special kinds. */
export function isSpecial(value: PropertyValue | undefined): value is SpecialValue {
  return typeof value === 'object' && value !== null && !isList(value) && 'kind' in value
}

/** Reports whether a value itself is a secret. */
export function isSecret(value: PropertyValue | undefined): value is Secret {
  return isSpecial(value) && value.kind === 'secret'
}

/** Wraps a value as secret, unless it already is one. */
export function secretOf(value: PropertyValue): Secret {
  return isSecret(value) ? value : { kind: 'secret', value }
}
