import { error } from '../errors/error.ts'
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
  unknownTexts,
  type WirePass,
} from './wire-options.ts'

type Fields = Record<string, unknown>

const unknownTextLength = 36

/** Reads an object that is not a special value. Throws VALUE_MALFORMED. */
export function readMap(fields: Fields, pass: WirePass): PropertyMap {
  const map = new Map<string, PropertyValue>()
  for (const key of Object.keys(fields)) {
    pass.path.push(key)
    const value = readValue(fields[key], pass)
    if (value !== undefined) map.set(key, value)
    pass.path.pop()
  }
  return map
}

/** Reads a value. Returns undefined for a dropped unknown. Throws VALUE_MALFORMED. */
export function readValue(value: unknown, pass: WirePass): PropertyValue | undefined {
  switch (typeof value) {
    case 'string':
      return value.length === unknownTextLength && unknownTexts.has(value)
        ? readUnknown(pass)
        : value
    case 'number':
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return readList(value, pass)
      if (Object.hasOwn(value, signatureKey)) return readSpecial(value as Fields, pass)
      return readMap(value as Fields, pass)
    default:
      throw malformedError(pass, `is a ${typeof value}`)
  }
}

function malformedError(pass: WirePass, how: string): Error {
  return error('VALUE_MALFORMED', `the value of '${pathTextOf(pass)}' ${how}`)
}

function readList(items: readonly unknown[], pass: WirePass): PropertyValue[] {
  return items.map((item, index) => {
    pass.path.push(index)
    // A dropped unknown becomes null, so that the other items keep their indexes.
    const value = readValue(item, pass) ?? null
    pass.path.pop()
    return value
  })
}

function readUnknown(pass: WirePass): PropertyValue | undefined {
  const { options } = pass
  if (options.unknowns === 'reject') throw malformedError(pass, 'is unknown where it must be known')
  if (options.unknowns === 'drop') return undefined
  if (options.outputs && options.upgrade === true)
    return { kind: 'output', secret: false, dependencies: [] }
  return unknown
}

function readSpecial(fields: Fields, pass: WirePass): PropertyValue | undefined {
  switch (fields[signatureKey]) {
    case signatures.secret:
      return readSecret(fields, pass)
    case signatures.output:
      return readOutput(fields, pass)
    case signatures.asset:
      return readAsset(fields, pass)
    case signatures.archive:
      return readArchive(fields, pass)
    case signatures.reference:
      return readReference(fields, pass)
    case signatures.bytes:
      if (typeof fields['value'] !== 'string')
        throw malformedError(pass, 'is a byte string without base64 text')
      return { kind: 'bytes', base64: fields['value'] }
    default:
      throw malformedError(pass, `has the unknown signature '${String(fields[signatureKey])}'`)
  }
}

function readSecret(fields: Fields, pass: WirePass): PropertyValue | undefined {
  if (fields['value'] === undefined) throw malformedError(pass, 'is a secret without a value')
  return toSecret(readValue(fields['value'], pass), pass)
}

function toSecret(value: PropertyValue | undefined, pass: WirePass): PropertyValue | undefined {
  const { options } = pass
  if (value === undefined || !options.secrets) return value
  if (!options.outputs || options.upgrade !== true) return secretOf(value)
  if (isSpecial(value) && value.kind === 'output') return { ...value, secret: true }
  return { kind: 'output', value, secret: true, dependencies: [] }
}

function readOutput(fields: Fields, pass: WirePass): PropertyValue | undefined {
  const secret = fields['secret'] ?? false
  if (typeof secret !== 'boolean')
    throw malformedError(pass, 'is an output whose `secret` is not a boolean')
  const isKnown = fields['value'] !== undefined
  if (!pass.options.outputs) {
    const value = isKnown ? readValue(fields['value'], pass) : readUnknown(pass)
    return secret ? toSecret(value, pass) : value
  }
  const dependencies = readDependencies(fields['dependencies'], pass)
  const value = isKnown ? readValue(fields['value'], pass) : undefined
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

function readDependencies(list: unknown, pass: WirePass): readonly Urn[] {
  if (list === undefined) return []
  if (Array.isArray(list) && list.every(item => typeof item === 'string' && isUrn(item)))
    return list
  throw malformedError(pass, 'is an output whose dependencies are no list of URNs')
}

function readText(fields: Fields, key: string, pass: WirePass): string {
  const text = fields[key] ?? ''
  if (typeof text !== 'string') throw malformedError(pass, `has a '${key}' that is no string`)
  return text
}

function readAsset(fields: Fields, pass: WirePass): Asset {
  const hash = readText(fields, 'hash', pass)
  const path = readText(fields, 'path', pass)
  const uri = readText(fields, 'uri', pass)
  const text = readText(fields, 'text', pass)
  if (path !== '') return { kind: 'asset', hash, source: { path } }
  if (uri !== '') return { kind: 'asset', hash, source: { uri } }
  const isEmptyText = hash === '' || hash === emptyAssetHash
  return { kind: 'asset', hash, source: text !== '' || isEmptyText ? { text } : undefined }
}

function readArchive(fields: Fields, pass: WirePass): Archive {
  const hash = readText(fields, 'hash', pass)
  const path = readText(fields, 'path', pass)
  const uri = readText(fields, 'uri', pass)
  if (path !== '') return { kind: 'archive', hash, source: { path } }
  if (uri !== '') return { kind: 'archive', hash, source: { uri } }
  const members = fields['assets']
  if (members === undefined || members === null) {
    const isEmpty = hash === '' || hash === emptyArchiveHash
    return { kind: 'archive', hash, source: isEmpty ? { assets: new Map() } : undefined }
  }
  if (typeof members !== 'object' || Array.isArray(members))
    throw malformedError(pass, 'is an archive whose assets are not an object')
  const assets = new Map<string, Asset | Archive>()
  for (const [name, member] of Object.entries(members)) {
    pass.path.push(name)
    const value = readValue(member, pass)
    if (!isSpecial(value) || (value.kind !== 'asset' && value.kind !== 'archive'))
      throw malformedError(pass, 'is a member of an archive, but neither asset nor archive')
    assets.set(name, value)
    pass.path.pop()
  }
  return { kind: 'archive', hash, source: { assets } }
}

function readReference(fields: Fields, pass: WirePass): PropertyValue | undefined {
  const urn = fields['urn']
  if (typeof urn !== 'string' || urn === '')
    throw malformedError(pass, 'is a reference without a URN')
  const id = readId(fields['id'], pass)
  if (!pass.options.references) {
    if (id === undefined) return urn
    return typeof id === 'string' ? id : readUnknown(pass)
  }
  const isValid = isUrn(urn)
  const name = readText(fields, 'name', pass) || (isValid ? nameOf(urn) : '')
  const type = readText(fields, 'type', pass) || (isValid ? typeOf(urn) : '')
  const reference: ResourceReference = {
    kind: 'reference',
    urn: urn as Urn,
    packageVersion: readText(fields, 'packageVersion', pass),
    name,
    type,
  }
  return id === undefined ? reference : { ...reference, id }
}

function readId(id: unknown, pass: WirePass): ResourceReference['id'] | undefined {
  if (id === undefined) return undefined
  if (id === '') return unknown
  if (typeof id === 'string') {
    if (!unknownTexts.has(id)) return id
    return readUnknown(pass) === undefined ? undefined : unknown
  }
  const value = readValue(id, pass)
  const inner = isSpecial(value) && value.kind === 'output' ? (value.value ?? unknown) : value
  if (inner === undefined) return undefined
  if (typeof inner === 'string') return inner === '' ? unknown : inner
  if (isSpecial(inner) && inner.kind === 'unknown') return unknown
  throw malformedError(pass, 'is a reference whose id is not a string')
}
