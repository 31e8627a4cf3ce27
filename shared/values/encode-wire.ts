import { createError } from '../errors/error.ts'
import { unknownStringMarker } from '../names/provider-reference.ts'
import { nameOf, typeOf } from '../names/urn.ts'
import {
  type Archive,
  type Asset,
  isList,
  isMap,
  type Output,
  type PropertyMap,
  type PropertyValue,
  type ResourceReference,
  type SpecialValue,
  unknown,
} from './value.ts'
import {
  pathTextOf,
  setProperty,
  signatureKey,
  signatures,
  type WireContext,
  type WireOptions,
} from './wire-options.ts'

type Fields = Record<string, unknown>

/**
 * Encodes properties as the fields of a Struct. Throws VALUE_MALFORMED with the path of a value
 * that the options do not allow (docs/spec/property-values.md#wire-encoding).
 */
export function encodeWire(map: PropertyMap, options: WireOptions): Record<string, unknown> {
  return writeMap(map, { options, path: [] })
}

/**
 * Encodes one value for the wire. Returns undefined for an unknown value that the options drop.
 * `key` names the value in errors.
 */
export function encodeWireValue(
  value: PropertyValue,
  options: WireOptions,
  key = 'value',
): unknown {
  return writeValue(value, { options, path: [key] })
}

/** Writes an object, without the unknown values that the options drop. Throws VALUE_MALFORMED. */
function writeMap(map: PropertyMap, context: WireContext): Fields {
  const fields: Fields = {}
  for (const [key, value] of map) {
    context.path.push(key)
    const encoded = writeValue(value, context)
    if (encoded !== undefined) setProperty(fields, key, encoded)
    context.path.pop()
  }
  return fields
}

/**
 * Writes a value. Returns undefined for an unknown value that the options drop. Throws
 * VALUE_MALFORMED.
 */
function writeValue(value: PropertyValue, context: WireContext): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isMap(value)) return writeMap(value, context)
  if (isList(value)) return writeList(value, context)
  return writeSpecial(value, context)
}

/** Writes a list. An unknown item that the options drop shifts the later items, as in Pulumi. */
function writeList(list: readonly PropertyValue[], context: WireContext): unknown[] {
  const items: unknown[] = []
  for (const [index, item] of list.entries()) {
    context.path.push(index)
    const encoded = writeValue(item, context)
    if (encoded !== undefined) items.push(encoded)
    context.path.pop()
  }
  return items
}

function writeSpecial(value: SpecialValue, context: WireContext): unknown {
  switch (value.kind) {
    case 'unknown':
      return writeUnknown(context)
    case 'secret':
      return writeSecret(value.value, context)
    case 'output':
      return writeOutput(value, context)
    case 'asset':
      return writeAsset(value, context)
    case 'archive':
      return writeArchive(value, context)
    case 'reference':
      return writeReference(value, context)
    case 'bytes':
      if (context.options.allowsByteStrings)
        return { [signatureKey]: signatures.bytes, value: value.base64 }
      throw createError(
        'VALUE_MALFORMED',
        `'${pathTextOf(context)}' is a string that is not UTF-8, which the receiver cannot read`,
      )
  }
}

function writeUnknown(context: WireContext): unknown {
  const { options } = context
  if (options.unknowns === 'reject')
    throw createError(
      'VALUE_MALFORMED',
      `'${pathTextOf(context)}' is unknown where it must be known`,
    )
  if (options.unknowns === 'drop') return undefined
  if (options.outputs && options.upgradesToOutputs === true)
    return { [signatureKey]: signatures.output }
  return unknownStringMarker
}

function writeSecret(inner: PropertyValue, context: WireContext): unknown {
  const { options } = context
  const value = writeValue(inner, context)
  if (value === undefined || !options.secrets) return value
  if (options.outputs && options.upgradesToOutputs === true)
    return { [signatureKey]: signatures.output, value, secret: true }
  return { [signatureKey]: signatures.secret, value }
}

function writeOutput(output: Output, context: WireContext): unknown {
  if (!context.options.outputs) {
    const plainValue = output.value === undefined ? unknown : output.value
    return output.secret ? writeSecret(plainValue, context) : writeValue(plainValue, context)
  }
  const fields: Fields = { [signatureKey]: signatures.output }
  if (output.value !== undefined) {
    const value = writeValue(output.value, context)
    if (value !== undefined) fields['value'] = value
  }
  if (output.secret) fields['secret'] = true
  if (output.dependencies.length > 0) fields['dependencies'] = [...output.dependencies]
  return fields
}

function writeAsset(asset: Asset, context: WireContext): Fields {
  const fields: Fields = { [signatureKey]: signatures.asset }
  if (asset.hash !== '') fields['hash'] = asset.hash
  if (context.options.elideAssets === true || asset.source === undefined) return fields
  for (const [key, text] of Object.entries(asset.source)) if (text !== '') fields[key] = text
  return fields
}

function writeArchive(archive: Archive, context: WireContext): Fields {
  const fields: Fields = { [signatureKey]: signatures.archive }
  const { hash, source } = archive
  if (hash !== '') fields['hash'] = hash
  if (context.options.elideAssets === true || source === undefined) return fields
  if ('assets' in source) {
    const members: Fields = {}
    for (const [name, member] of source.assets)
      setProperty(
        members,
        name,
        member.kind === 'asset' ? writeAsset(member, context) : writeArchive(member, context),
      )
    fields['assets'] = members
  } else for (const [key, text] of Object.entries(source)) if (text !== '') fields[key] = text
  return fields
}

function writeReference(reference: ResourceReference, context: WireContext): unknown {
  const { id, urn, name, type, packageVersion } = reference
  if (!context.options.references) {
    if (id === undefined) return urn
    return typeof id === 'string' && id !== '' ? id : writeUnknown(context)
  }
  const fields: Fields = { [signatureKey]: signatures.reference, urn }
  // A reference from a state lacks name and type, so both are derived from the URN.
  fields['name'] = name ?? nameOf(urn)
  fields['type'] = type ?? typeOf(urn)
  if (id !== undefined) fields['id'] = typeof id === 'string' ? id : ''
  if (packageVersion !== '') fields['packageVersion'] = packageVersion
  return fields
}
