import { formatGoJson } from '../../../values/go-json.ts'
import {
  type PropertyMap,
  type PropertyValue,
  isList,
  isMap,
  isSecret,
  secretOf,
} from '../../../values/value.ts'
import { encodeStoredMap } from '../../../values/value-codec.ts'
import type { PathSegment } from '../../../values/path.ts'

/** The key of an input that stands for a value of an ephemeral resource. */
const ephemeralKey = '__ephemeral'

/**
 * An input that stands for an attribute of an ephemeral resource. Records have this reference, and
 * never the value. The input is an object with the only key `__ephemeral`.
 */
export interface EphemeralReference {
  /** The type in Terraform, such as `random_password`. */
  readonly typeName: string
  /** The configuration, which may contain further references. */
  readonly args: PropertyMap
  /** The attribute, with its name in Pulumi. */
  readonly attribute: string
}

/** A reference, and the place of the input. */
export interface PlacedReference {
  readonly reference: EphemeralReference
  readonly path: readonly PathSegment[]
}

/** Reads an input that is a reference. Returns undefined for any other input. */
function readEphemeralReference(value: PropertyValue): EphemeralReference | undefined {
  if (isSecret(value)) return readEphemeralReference(value.value)
  const content = isMap(value) && value.size === 1 ? value.get(ephemeralKey) : undefined
  if (!isMap(content)) return undefined
  const typeName = content.get('type')
  const attribute = content.get('attribute')
  const args = content.get('args') ?? new Map<string, PropertyValue>()
  if (typeof typeName !== 'string' || typeof attribute !== 'string' || !isMap(args))
    return undefined
  return { typeName, attribute, args }
}

/**
 * Returns the references in inputs with their places, in order. References within the arguments of
 * another reference are not included.
 */
export function findEphemeralReferences(inputs: PropertyMap): readonly PlacedReference[] {
  const references: PlacedReference[] = []
  const visit = (value: PropertyValue, path: readonly PathSegment[]): void => {
    const reference = readEphemeralReference(value)
    if (reference !== undefined) references.push({ reference, path })
    else if (isSecret(value)) visit(value.value, path)
    else if (isList(value))
      for (const [index, item] of value.entries()) visit(item, [...path, index])
    else if (isMap(value)) for (const [key, item] of value) visit(item, [...path, key])
  }
  visit(inputs, [])
  return references
}

/** Returns inputs with a value in the place of each reference. The values become secrets. */
export function replaceEphemeralReferences(
  inputs: PropertyMap,
  valueOf: (reference: EphemeralReference) => PropertyValue,
): PropertyMap {
  const replace = (value: PropertyValue): PropertyValue => {
    const reference = readEphemeralReference(value)
    if (reference !== undefined) return secretOf(valueOf(reference))
    if (isSecret(value)) return secretOf(replace(value.value))
    if (isList(value)) return value.map(replace)
    return isMap(value) ? replaceIn(value) : value
  }
  const replaceIn = (map: PropertyMap): PropertyMap =>
    new Map([...map].map(([key, value]) => [key, replace(value)]))
  return replaceIn(inputs)
}

/** Returns a key that equal ephemeral resources share, so that each one is opened once. */
export function keyOfEphemeral({ typeName, args }: EphemeralReference): string {
  return formatGoJson([typeName, encodeStoredMap(args, plaintext => ({ plaintext }))])
}
