import { createError } from '../errors/error.ts'
import { isUrn, nameOf, typeOf, type Urn } from '../names/urn.ts'
import {
  type Archive,
  type Asset,
  isSpecial,
  type PropertyMap,
  type PropertyValue,
  type ResourceReference,
  secretOf,
  unknown,
} from './value.ts'
import {
  emptyArchiveHash,
  emptyAssetHash,
  pathTextOf,
  signatureKey,
  signatures,
  unknownMarkers,
  type WireContext,
  type WireOptions,
} from './wire-options.ts'

type Fields = Record<string, unknown>

/**
 * The length of every unknown marker. Only strings of this length are looked up, because the
 * look-up of a long string takes time.
 */
const unknownMarkerChars = 36

/**
 * Decodes the fields of a Struct as properties. An absent Struct has no properties. Throws
 * VALUE_MALFORMED with the path of an invalid value.
 */
export function decodeWire(
  struct: Record<string, unknown> | undefined,
  options: WireOptions,
): PropertyMap {
  return struct === undefined ? new Map() : readMap(struct, { options, path: [] })
}

/**
 * Decodes one value from the wire. Returns undefined for an unknown value that the options drop.
 * `key` names the value in errors.
 */
export function decodeWireValue(
  value: unknown,
  options: WireOptions,
  key = 'value',
): PropertyValue | undefined {
  return readValue(value, { options, path: [key] })
}

/** Reads an object that is not a special value. Throws VALUE_MALFORMED. */
function readMap(fields: Fields, context: WireContext): PropertyMap {
  const map = new Map<string, PropertyValue>()
  for (const key of Object.keys(fields)) {
    context.path.push(key)
    const value = readValue(fields[key], context)
    if (value !== undefined) map.set(key, value)
    context.path.pop()
  }
  return map
}

/**
 * Reads a value. Returns undefined for an unknown value that the options drop. Throws
 * VALUE_MALFORMED.
 */
function readValue(value: unknown, context: WireContext): PropertyValue | undefined {
  switch (typeof value) {
    case 'string':
      return value.length === unknownMarkerChars && unknownMarkers.has(value)
        ? readUnknown(context)
        : value
    case 'number':
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return readList(value, context)
      if (Object.hasOwn(value, signatureKey)) return readSpecial(value as Fields, context)
      return readMap(value as Fields, context)
    default:
      throw createMalformedError(context, `is a ${typeof value}`)
  }
}

function createMalformedError(context: WireContext, problem: string): Error {
  return createError('VALUE_MALFORMED', `the value of '${pathTextOf(context)}' ${problem}`)
}

function readList(items: readonly unknown[], context: WireContext): PropertyValue[] {
  return items.map((item, index) => {
    context.path.push(index)
    // A dropped unknown becomes null, so that the other items keep their indexes.
    const value = readValue(item, context) ?? null
    context.path.pop()
    return value
  })
}

function readUnknown(context: WireContext): PropertyValue | undefined {
  const { options } = context
  if (options.unknowns === 'reject')
    throw createMalformedError(context, 'is unknown where it must be known')
  if (options.unknowns === 'drop') return undefined
  if (options.outputs && options.upgradesToOutputs === true)
    return { kind: 'output', secret: false, dependencies: [] }
  return unknown
}

function readSpecial(fields: Fields, context: WireContext): PropertyValue | undefined {
  switch (fields[signatureKey]) {
    case signatures.secret:
      return readSecret(fields, context)
    case signatures.output:
      return readOutput(fields, context)
    case signatures.asset:
      return readAsset(fields, context)
    case signatures.archive:
      return readArchive(fields, context)
    case signatures.reference:
      return readReference(fields, context)
    case signatures.bytes:
      if (typeof fields['value'] !== 'string')
        throw createMalformedError(context, 'is a byte string without base64 text')
      return { kind: 'bytes', base64: fields['value'] }
    default:
      throw createMalformedError(context, `has ${describeSignature(fields)}`)
  }
}

/**
 * Describes an invalid signature for a message. A signature that is no string is described by its
 * type, because some objects cannot be converted to a string.
 */
function describeSignature(fields: Fields): string {
  const signature = fields[signatureKey]
  return typeof signature === 'string'
    ? `the unknown signature '${signature}'`
    : `a signature of the type ${typeof signature}`
}

function readSecret(fields: Fields, context: WireContext): PropertyValue | undefined {
  if (fields['value'] === undefined)
    throw createMalformedError(context, 'is a secret without a value')
  return toSecret(readValue(fields['value'], context), context)
}

function toSecret(
  value: PropertyValue | undefined,
  context: WireContext,
): PropertyValue | undefined {
  const { options } = context
  if (value === undefined || !options.secrets) return value
  if (!options.outputs || options.upgradesToOutputs !== true) return secretOf(value)
  if (isSpecial(value) && value.kind === 'output') return { ...value, secret: true }
  return { kind: 'output', value, secret: true, dependencies: [] }
}

function readOutput(fields: Fields, context: WireContext): PropertyValue | undefined {
  const secret = fields['secret'] ?? false
  if (typeof secret !== 'boolean')
    throw createMalformedError(context, 'is an output whose `secret` is not a boolean')
  const isKnown = fields['value'] !== undefined
  if (!context.options.outputs) {
    const value = isKnown ? readValue(fields['value'], context) : readUnknown(context)
    return secret ? toSecret(value, context) : value
  }
  const dependencies = readDependencies(fields['dependencies'], context)
  const value = isKnown ? readValue(fields['value'], context) : undefined
  if (value === undefined || (isSpecial(value) && value.kind === 'unknown'))
    return { kind: 'output', secret, dependencies }
  if (isSpecial(value) && value.kind === 'output')
    return {
      ...value,
      secret: secret || value.secret,
      dependencies: [...new Set([...dependencies, ...value.dependencies])],
    }
  return { kind: 'output', value, secret, dependencies }
}

function readDependencies(list: unknown, context: WireContext): readonly Urn[] {
  if (list === undefined) return []
  if (Array.isArray(list) && list.every(item => typeof item === 'string' && isUrn(item)))
    return list
  throw createMalformedError(context, 'is an output whose dependencies are not a list of URNs')
}

function readText(fields: Fields, key: string, context: WireContext): string {
  const text = fields[key] ?? ''
  if (typeof text !== 'string')
    throw createMalformedError(context, `has a '${key}' that is not a string`)
  return text
}

function readAsset(fields: Fields, context: WireContext): Asset {
  const hash = readText(fields, 'hash', context)
  const path = readText(fields, 'path', context)
  const uri = readText(fields, 'uri', context)
  const text = readText(fields, 'text', context)
  if (path !== '') return { kind: 'asset', hash, source: { path } }
  if (uri !== '') return { kind: 'asset', hash, source: { uri } }
  const isEmptyText = hash === '' || hash === emptyAssetHash
  return { kind: 'asset', hash, source: text !== '' || isEmptyText ? { text } : undefined }
}

function readArchive(fields: Fields, context: WireContext): Archive {
  const hash = readText(fields, 'hash', context)
  const path = readText(fields, 'path', context)
  const uri = readText(fields, 'uri', context)
  if (path !== '') return { kind: 'archive', hash, source: { path } }
  if (uri !== '') return { kind: 'archive', hash, source: { uri } }
  const members = fields['assets']
  if (members === undefined || members === null) {
    const isEmpty = hash === '' || hash === emptyArchiveHash
    return { kind: 'archive', hash, source: isEmpty ? { assets: new Map() } : undefined }
  }
  if (typeof members !== 'object' || Array.isArray(members))
    throw createMalformedError(context, 'is an archive whose assets are not an object')
  const assets = new Map<string, Asset | Archive>()
  for (const [name, member] of Object.entries(members)) {
    context.path.push(name)
    const value = readValue(member, context)
    if (!isSpecial(value) || (value.kind !== 'asset' && value.kind !== 'archive'))
      throw createMalformedError(
        context,
        'is a member of an archive, but neither asset nor archive',
      )
    assets.set(name, value)
    context.path.pop()
  }
  return { kind: 'archive', hash, source: { assets } }
}

function readReference(fields: Fields, context: WireContext): PropertyValue | undefined {
  const urn = fields['urn']
  if (typeof urn !== 'string' || urn === '')
    throw createMalformedError(context, 'is a reference without a URN')
  const id = readId(fields['id'], context)
  if (!context.options.references) {
    if (id === undefined) return urn
    return typeof id === 'string' ? id : readUnknown(context)
  }
  const isValid = isUrn(urn)
  const name = readText(fields, 'name', context) || (isValid ? nameOf(urn) : '')
  const type = readText(fields, 'type', context) || (isValid ? typeOf(urn) : '')
  const reference: ResourceReference = {
    kind: 'reference',
    urn: urn as Urn,
    packageVersion: readText(fields, 'packageVersion', context),
    name,
    type,
  }
  return id === undefined ? reference : { ...reference, id }
}

function readId(id: unknown, context: WireContext): ResourceReference['id'] | undefined {
  if (id === undefined) return undefined
  if (id === '') return unknown
  if (typeof id === 'string') {
    if (!unknownMarkers.has(id)) return id
    return readUnknown(context) === undefined ? undefined : unknown
  }
  const value = readValue(id, context)
  const inner = isSpecial(value) && value.kind === 'output' ? (value.value ?? unknown) : value
  if (inner === undefined) return undefined
  if (typeof inner === 'string') return inner === '' ? unknown : inner
  if (isSpecial(inner) && inner.kind === 'unknown') return unknown
  throw createMalformedError(context, 'is a reference whose id is not a string')
}
