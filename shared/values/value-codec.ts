import { createError } from '../errors/error.ts'
import { parseJson } from './parse-json.ts'
import { isUrn } from '../names/urn.ts'
import { unknownStringMarker } from '../names/provider-reference.ts'
import type { Json } from './json.ts'
import { compareUtf8, formatGoJson } from './go-json.ts'
import type {
  Archive,
  Asset,
  PropertyMap,
  PropertyValue,
  ResourceReference,
  SpecialValue,
} from './value.ts'
import { isList, isMap, isSpecial, unknown } from './value.ts'
import { checkValueDepth } from './nesting.ts'
import { containsSecret } from './special-values.ts'
import { emptyArchiveHash, emptyAssetHash, signatureKey, signatures } from './wire-options.ts'

/** Encrypts the plaintext of a secret, or returns it unchanged as plaintext. */
export type SealPlaintext = (
  plaintext: string,
) => { readonly ciphertext: string } | { readonly plaintext: string }

/** Decrypts a ciphertext. Throws SECRETS_MALFORMED. */
export type OpenCiphertext = (ciphertext: string) => string

/** A JSON object, the form of a stored map. */
export type JsonObject = { readonly [key: string]: Json }

/** The signature of NaN and the infinities, for which JSON has no numbers. */
export const floatSignature = '8ad145fe-0d11-4827-bfd7-1abcbf086f5c'

/**
 * Stores the plaintext of an inner secret as its ciphertext, because the outer secret is encrypted
 * (docs/spec/property-values.md#secrets-in-states).
 */
const sealNothing: SealPlaintext = plaintext => ({ ciphertext: plaintext })

/** Opens a text that `sealNothing` stored as a ciphertext. */
const openNothing: OpenCiphertext = plaintext => plaintext

/**
 * Encodes a value for states (docs/spec/property-values.md#state-encoding): keys sorted by bytes,
 * secrets converted by `seal`.
 */
export function encodeStored(value: PropertyValue, seal: SealPlaintext): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : encodeFloat(value)
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (isList(value)) return value.map(item => encodeStored(item, seal))
  if (isMap(value)) return encodeStoredMap(value, seal)
  return encodeSpecial(value, seal)
}

/** Encodes an object for states. */
export function encodeStoredMap(map: PropertyMap, seal: SealPlaintext): JsonObject {
  const entries: [string, Json][] = []
  for (const [key, item] of map) entries.push([key, encodeStored(item, seal)])
  return toSortedObject(entries)
}

/** Sorts keys by bytes, and keeps `__proto__` as a key. */
function toSortedObject(entries: (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries.sort(([a], [b]) => compareUtf8(a, b)))
}

function encodeSpecial(value: SpecialValue, seal: SealPlaintext): Json {
  switch (value.kind) {
    case 'unknown':
      return unknownStringMarker
    case 'secret':
      return encodeSecret(value.value, seal)
    case 'output': {
      if (value.value === undefined) return unknownStringMarker
      return value.secret ? encodeSecret(value.value, seal) : encodeStored(value.value, seal)
    }
    case 'bytes':
      return { [signatureKey]: signatures.bytes, value: value.base64 }
    case 'reference':
      return encodeReference(value)
    case 'asset':
    case 'archive':
      return encodeAsset(value)
    default:
      return value satisfies never
  }
}

function encodeSecret(value: PropertyValue, seal: SealPlaintext): Json {
  const inner = encodeStored(value, containsSecret(value) && isRevealing(seal) ? seal : sealNothing)
  return { [signatureKey]: signatures.secret, ...seal(formatGoJson(inner)) }
}

/** Reports whether `seal` leaves secrets in plaintext. Inner secrets then stay in plaintext too. */
function isRevealing(seal: SealPlaintext): boolean {
  return 'plaintext' in seal('""')
}

function encodeReference(value: ResourceReference): Json {
  const id = value.id === undefined ? {} : { id: typeof value.id === 'string' ? value.id : '' }
  return {
    [signatureKey]: signatures.reference,
    ...id,
    packageVersion: value.packageVersion,
    urn: value.urn,
  }
}

function encodeAsset(value: Asset | Archive): JsonObject {
  const { source } = value
  const fields: Record<string, Json> = { [signatureKey]: signatures[value.kind] }
  if (source !== undefined && 'assets' in source)
    fields['assets'] = toSortedObject(
      [...source.assets].map(([key, item]) => [key, encodeAsset(item)]),
    )
  if (value.hash !== '') fields['hash'] = value.hash
  if (source !== undefined && 'path' in source) fields['path'] = source.path
  if (source !== undefined && 'text' in source && source.text !== '') fields['text'] = source.text
  if (source !== undefined && 'uri' in source) fields['uri'] = source.uri
  return fields
}

function encodeFloat(value: number): Json {
  const bits = Buffer.alloc(8)
  bits.writeDoubleBE(value)
  return { [signatureKey]: floatSignature, value: bits.toString('hex') }
}

/**
 * Decodes a value from a state. Throws VALUE_MALFORMED for a malformed value, such as an unknown
 * signature or too many levels, and SECRETS_MALFORMED for a damaged secret.
 */
export function decodeStored(json: Json, open: OpenCiphertext): PropertyValue {
  return decodeAt(json, open, 0)
}

/** Decodes an object from a state. */
export function decodeStoredMap(json: JsonObject, open: OpenCiphertext): PropertyMap {
  return decodeMapAt(json, open, 0)
}

/** Decodes the part of a value at `depth` levels below its root. */
function decodeAt(json: Json, open: OpenCiphertext, depth: number): PropertyValue {
  if (typeof json === 'string') return json === unknownStringMarker ? unknown : json
  if (json === null || typeof json !== 'object') return requireFinite(json)
  checkValueDepth(depth)
  if (isJsonList(json)) return json.map(item => decodeAt(item, open, depth + 1))
  const signature = Object.hasOwn(json, signatureKey) ? json[signatureKey] : undefined
  if (signature === undefined) return decodeMapAt(json, open, depth)
  return decodeSigned(json, signature, { open, depth })
}

/** Throws VALUE_MALFORMED for a number that exceeds the range of a double, such as 1e400. */
function requireFinite<Scalar>(json: Scalar): Scalar {
  if (typeof json === 'number' && !Number.isFinite(json))
    throw createError('VALUE_MALFORMED', 'a number exceeds the range of a double')
  return json
}

function decodeMapAt(json: JsonObject, open: OpenCiphertext, depth: number): PropertyMap {
  const map = new Map<string, PropertyValue>()
  for (const [key, item] of Object.entries(json)) map.set(key, decodeAt(item, open, depth + 1))
  return map
}

/** The function that decrypts the secrets of a value, and the depth of the value. */
interface DecodingContext {
  readonly open: OpenCiphertext
  readonly depth: number
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}

function decodeSigned(json: JsonObject, signature: Json, context: DecodingContext): PropertyValue {
  switch (signature) {
    case signatures.secret:
      return { kind: 'secret', value: decodeSecret(json, context) }
    case signatures.asset:
      return decodeAsset(json)
    case signatures.archive:
      return decodeArchive(json, context.depth)
    case signatures.reference:
      return decodeReference(json)
    case signatures.bytes:
      return { kind: 'bytes', base64: requireMatch(json['value'], base64Pattern, 'byte string') }
    case floatSignature:
      return Buffer.from(requireMatch(json['value'], floatPattern, 'number'), 'hex').readDoubleBE()
    default:
      throw createError(
        'VALUE_MALFORMED',
        `a value in the state has ${describeSignature(signature)}`,
      )
  }
}

/** Describes an invalid signature for a message. A list or object may be too large to print. */
function describeSignature(signature: Json): string {
  return typeof signature === 'object'
    ? 'a signature of a wrong type'
    : `the unknown signature ${JSON.stringify(signature)}`
}

function decodeSecret(json: JsonObject, { open, depth }: DecodingContext): PropertyValue {
  const ciphertext = textOf(json['ciphertext'])
  const plaintext = textOf(json['plaintext'])
  if ((ciphertext === '') === (plaintext === ''))
    throw createError(
      'SECRETS_MALFORMED',
      'a secret in the state must have exactly one of ciphertext and plaintext',
    )
  const text = plaintext === '' ? open(ciphertext) : plaintext
  // The error has no cause, because that of the parser quotes the secret.
  const inner = parseJson(text)
  if (inner === undefined)
    throw createError('SECRETS_MALFORMED', 'a secret in the state does not contain JSON')
  return decodeAt(inner as Json, openNothing, depth + 1)
}

function decodeReference(json: JsonObject): PropertyValue {
  const urn = textOf(json['urn'])
  if (!isUrn(urn))
    throw createError(
      'VALUE_MALFORMED',
      `a resource reference in the state contains '${urn}', which is not a URN`,
    )
  const packageVersion = textOf(json['packageVersion'])
  const id = unboxId(json['id'])
  if (id === undefined || id === null) return { kind: 'reference', urn, packageVersion }
  const isKnown = typeof id === 'string' && id !== '' && id !== unknownStringMarker
  return { kind: 'reference', urn, packageVersion, id: isKnown ? id : unknown }
}

/** Returns an id, also from the form `{"V": …}` of old Pulumi versions. */
function unboxId(id: Json | undefined): Json | undefined {
  if (typeof id !== 'object' || id === null || isJsonList(id) || !Object.hasOwn(id, 'V')) return id
  return id['V']
}

function decodeAsset(json: JsonObject): Asset {
  const hash = textOf(json['hash'])
  const path = textOf(json['path'])
  const uri = textOf(json['uri'])
  const text = textOf(json['text'])
  if (path !== '') return { kind: 'asset', hash, source: { path } }
  if (uri !== '') return { kind: 'asset', hash, source: { uri } }
  const isText = text !== '' || hash === '' || hash === emptyAssetHash
  return { kind: 'asset', hash, source: isText ? { text } : undefined }
}

function decodeArchive(json: JsonObject, depth: number): Archive {
  const hash = textOf(json['hash'])
  const path = textOf(json['path'])
  const uri = textOf(json['uri'])
  const { assets } = json
  if (path !== '') return { kind: 'archive', hash, source: { path } }
  if (uri !== '') return { kind: 'archive', hash, source: { uri } }
  if (typeof assets === 'object' && assets !== null && !isJsonList(assets))
    return {
      kind: 'archive',
      hash,
      source: {
        assets: new Map(
          Object.entries(assets).map(([key, item]) => [key, decodeMember(item, depth + 1)]),
        ),
      },
    }
  const isEmpty = hash === '' || hash === emptyArchiveHash
  return { kind: 'archive', hash, source: isEmpty ? { assets: new Map() } : undefined }
}

function decodeMember(json: Json, depth: number): Asset | Archive {
  const member = decodeAt(json, openNothing, depth)
  if (isSpecial(member) && (member.kind === 'asset' || member.kind === 'archive')) return member
  throw createError(
    'VALUE_MALFORMED',
    'an archive in the state has a member that is neither asset nor archive',
  )
}

function textOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : ''
}

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const floatPattern = /^[0-9a-fA-F]{16}$/

function requireMatch(json: Json | undefined, pattern: RegExp, kind: string): string {
  if (typeof json === 'string' && pattern.test(json)) return json
  throw createError('VALUE_MALFORMED', `a ${kind} in the state is malformed`)
}
