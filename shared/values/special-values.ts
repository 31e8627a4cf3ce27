import type { Urn } from '../names/urn.ts'
import { unknownStringMarker } from '../names/provider-reference.ts'
import type {
  Archive,
  Asset,
  PropertyMap,
  PropertyValue,
  ResourceReference,
  SpecialValue,
} from './value.ts'
import { isList, isMap, isSecret, isSpecial, secretOf, unknown } from './value.ts'
import { signatureKey, signatures, unknownMarkers } from './wire-options.ts'

/** Reports whether a value or any part of it is a special value for which `predicate` holds. */
export function containsSpecial(
  value: PropertyValue | undefined,
  predicate: (special: SpecialValue) => boolean,
): boolean {
  if (value === undefined) return false
  if (isList(value)) return value.some(item => containsSpecial(item, predicate))
  if (isMap(value)) {
    for (const item of value.values()) if (containsSpecial(item, predicate)) return true
    return false
  }
  if (!isSpecial(value)) return false
  if (predicate(value)) return true
  return value.kind === 'secret' || value.kind === 'output'
    ? containsSpecial(value.value, predicate)
    : false
}

/** Reports whether a value contains a secret. */
export function containsSecret(value: PropertyValue | undefined): boolean {
  return containsSpecial(
    value,
    special => special.kind === 'secret' || (special.kind === 'output' && special.secret),
  )
}

/** Reports whether a value contains an unknown, or is the marker text of one. */
export function containsUnknown(value: PropertyValue | undefined): boolean {
  const isUnknown = (special: SpecialValue): boolean =>
    special.kind === 'unknown' || (special.kind === 'output' && special.value === undefined)
  return (
    containsSpecial(value, isUnknown) || (typeof value === 'string' && unknownMarkers.has(value))
  )
}

/** Replaces every special part of a value from the inside out. Unchanged parts are shared. */
function mapSpecials(
  value: PropertyValue,
  replace: (special: SpecialValue) => PropertyValue,
): PropertyValue {
  if (isList(value)) return mapSpecialsInList(value, replace)
  if (isMap(value)) return mapSpecialsInMap(value, replace)
  if (!isSpecial(value)) return value
  if (value.kind === 'secret') {
    const inner = mapSpecials(value.value, replace)
    return replace(inner === value.value ? value : { kind: 'secret', value: inner })
  }
  if (value.kind === 'output' && value.value !== undefined) {
    const inner = mapSpecials(value.value, replace)
    return replace(inner === value.value ? value : { ...value, value: inner })
  }
  return replace(value)
}

function mapSpecialsInList(
  list: readonly PropertyValue[],
  replace: (special: SpecialValue) => PropertyValue,
): PropertyValue {
  const mapped = list.map(item => mapSpecials(item, replace))
  return mapped.every((item, index) => item === list[index]) ? list : mapped
}

function mapSpecialsInMap(
  map: PropertyMap,
  replace: (special: SpecialValue) => PropertyValue,
): PropertyMap {
  let changed: Map<string, PropertyValue> | undefined
  for (const [key, item] of map) {
    const mapped = mapSpecials(item, replace)
    if (mapped === item) continue
    changed ??= new Map(map)
    changed.set(key, mapped)
  }
  return changed ?? map
}

const unwrapSpecial = (special: SpecialValue): PropertyValue => {
  if (special.kind === 'secret') return special.value
  if (special.kind === 'output') return special.value ?? unknown
  return special
}

/** Removes secret and output wrappers. An unknown output becomes unknown. */
export function stripSecrets(value: PropertyValue): PropertyValue {
  return mapSpecials(value, unwrapSpecial)
}

/** Applies `stripSecrets` to each value. */
export function stripSecretsInMap(map: PropertyMap): PropertyMap {
  return mapSpecialsInMap(map, unwrapSpecial)
}

const maskSpecial = (special: SpecialValue): PropertyValue => {
  if (special.kind === 'secret') return '[secret]'
  if (special.kind !== 'output') return special
  return special.secret ? '[secret]' : (special.value ?? unknown)
}

/** Replaces each secret, also a secret output, by `[secret]`, and any other output by its value. */
export function maskSecrets(value: PropertyValue): PropertyValue {
  return mapSpecials(value, maskSpecial)
}

/** Applies `maskSecrets` to each value. */
export function maskSecretsInMap(map: PropertyMap): PropertyMap {
  return mapSpecialsInMap(map, maskSpecial)
}

/** Returns the URNs on which the output values inside a value depend. */
export function dependenciesOf(value: PropertyValue): readonly Urn[] {
  const urns = new Set<Urn>()
  // The predicate is always false, so the search visits every special value.
  containsSpecial(value, special => {
    if (special.kind === 'output') for (const urn of special.dependencies) urns.add(urn)
    return false
  })
  return [...urns]
}

/**
 * Converts output values to unknown, secret or plain values. Source:
 * docs/spec/monitor.md#registerresource step 16.
 */
export function downgradeOutputs(map: PropertyMap): PropertyMap {
  return mapSpecialsInMap(map, special => {
    if (special.kind !== 'output') return special
    const value = special.value ?? unknown
    return special.secret ? secretOf(value) : value
  })
}

/**
 * Copies secret marks from sent to returned properties by name, also in nested objects. Any other
 * returned value becomes secret as a whole if the sent value contains a secret. Source:
 * docs/spec/provider-protocol.md#re-applying-secretness.
 */
export function restoreSecretMarks(sent: PropertyMap, returned: PropertyMap): PropertyMap {
  let changed: Map<string, PropertyValue> | undefined
  for (const [key, value] of returned) {
    const source = sent.get(key)
    if (source === undefined) continue
    const mapped = restoreSecretMark(source, value)
    if (mapped === value) continue
    changed ??= new Map(returned)
    changed.set(key, mapped)
  }
  return changed ?? returned
}

function restoreSecretMark(sent: PropertyValue, returned: PropertyValue): PropertyValue {
  if (isMap(sent) && isMap(returned)) return restoreSecretMarks(sent, returned)
  return !isSecret(returned) && containsSecret(sent) ? secretOf(returned) : returned
}

/**
 * Converts values for events to plain JSON: the stored form with redacted secrets and without the
 * text of assets. Source: `convertStepEventStateMetadata` in
 * pkg/backend/display/events.go of Pulumi 3.274.1.
 */
export function redactMap(map: PropertyMap): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...map].map(([key, value]) => [key, redact(value)]))
}

function redact(value: PropertyValue): unknown {
  if (isMap(value)) return redactMap(value)
  if (isList(value)) return value.map(redact)
  return isSpecial(value) ? redactSpecial(value) : value
}

const redactedSecret = { [signatureKey]: signatures.secret, ciphertext: '[secret]' }

function redactSpecial(value: SpecialValue): unknown {
  switch (value.kind) {
    case 'secret':
      return redactedSecret
    case 'unknown':
      return unknownStringMarker
    case 'output':
      if (value.secret) return redactedSecret
      return value.value === undefined ? unknownStringMarker : redact(value.value)
    case 'bytes':
      return { [signatureKey]: signatures.bytes, value: value.base64 }
    case 'reference':
      return redactReference(value)
    case 'asset':
    case 'archive':
      return redactAsset(value)
    default:
      return value satisfies never
  }
}

function redactReference({ id, packageVersion, urn }: ResourceReference): unknown {
  const idField = id === undefined ? {} : { id: typeof id === 'string' ? id : '' }
  return { [signatureKey]: signatures.reference, ...idField, packageVersion, urn }
}

function redactAsset(value: Asset | Archive): unknown {
  const fields = { [signatureKey]: signatures[value.kind], hash: value.hash }
  if (value.source === undefined) return fields
  if ('text' in value.source) return { ...fields, text: '<contents elided>' }
  if ('assets' in value.source)
    return {
      ...fields,
      assets: Object.fromEntries(
        [...value.source.assets].map(([key, item]) => [key, redactAsset(item)]),
      ),
    }
  return { ...fields, ...value.source }
}
