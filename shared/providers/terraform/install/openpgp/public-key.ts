import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import {
  encodeDerBitString,
  encodeDerObjectIdentifier,
  encodeDerPositiveInteger,
  encodeDerSequence,
} from '../../client/der.ts'
import { type ByteReader, createByteReader } from './packets.ts'

/** A public key of version 4. */
export interface PublicKey {
  /** The last eight bytes of the fingerprint, in hex. */
  readonly keyId: string
  readonly fingerprint: string
  readonly createdAtSeconds: number
  readonly algorithm: KeyAlgorithm
  readonly key: KeyObject
  /** The bytes that signatures over the key cover. */
  readonly signedBytes: Buffer
}

/** The algorithm of a key. `partBytes`: the length of each number of its signatures. */
export type KeyAlgorithm =
  | { readonly kind: 'rsa'; readonly partBytes: number }
  | { readonly kind: 'dsa' | 'ecdsa'; readonly partBytes: number }
  | { readonly kind: 'ed25519'; readonly isLegacy: boolean }

/**
 * Parses a public key or subkey. Returns undefined for keys of other versions, algorithms and
 * curves, and for short RSA keys. Throws `OpenPgpError`. Source: RFC 9580, section 5.5.
 */
export function parsePublicKey(body: Buffer): PublicKey | undefined {
  const reader = createByteReader(body)
  if (reader.readNumber(1) !== 4) return undefined
  const createdAtSeconds = reader.readNumber(4)
  const material = readKeyMaterial(reader.readNumber(1), reader)
  if (material === undefined) return undefined
  const lengthBytes = Buffer.alloc(2)
  lengthBytes.writeUInt16BE(body.length)
  const signedBytes = Buffer.concat([Buffer.of(0x99), lengthBytes, body])
  const fingerprint = createHash('sha1').update(signedBytes).digest('hex')
  return { keyId: fingerprint.slice(-16), fingerprint, createdAtSeconds, signedBytes, ...material }
}

/** The object identifier of Ed25519 in hex, in keys of the legacy form. */
const ed25519Curve = '2b06010401da470f01'

type KeyMaterial = Pick<PublicKey, 'algorithm' | 'key'>

/**
 * Reads the part of a key that follows the number of its algorithm. RFC 9580, section 9.1, has
 * these numbers.
 */
function readKeyMaterial(algorithm: number, reader: ByteReader): KeyMaterial | undefined {
  switch (algorithm) {
    case 1:
    case 3:
      return readRsaKey(reader)
    case 17:
      return readDsaKey(reader)
    case 19:
      return readEcdsaKey(reader)
    case 22: {
      const curve = reader.read(reader.readNumber(1)).toString('hex')
      const point = reader.readInteger()
      // The byte 0x40 marks a point in the curve's own format.
      if (curve !== ed25519Curve || point.length !== 33 || point[0] !== 0x40) return undefined
      return createEd25519Key(point.subarray(1), true)
    }
    case 27:
      return createEd25519Key(reader.read(32), false)
    default:
      return undefined
  }
}

/** Shorter RSA keys, below 1,024 bits, are not trusted. */
const rsaModulusBytesMin = 128

function readRsaKey(reader: ByteReader): KeyMaterial | undefined {
  const modulus = reader.readInteger()
  const exponent = reader.readInteger()
  if (modulus.length < rsaModulusBytesMin) return undefined
  const jwk = { kty: 'RSA', n: toBase64Url(modulus), e: toBase64Url(exponent) }
  return {
    algorithm: { kind: 'rsa', partBytes: modulus.length },
    key: createPublicKey({ key: jwk, format: 'jwk' }),
  }
}

function readDsaKey(reader: ByteReader): KeyMaterial {
  const [p, q, g, y] = [
    reader.readInteger(),
    reader.readInteger(),
    reader.readInteger(),
    reader.readInteger(),
  ]
  const parameters = encodeDerSequence(
    encodeDerPositiveInteger(p),
    encodeDerPositiveInteger(q),
    encodeDerPositiveInteger(g),
  )
  const spki = encodeDerSequence(
    encodeDerSequence(encodeDerObjectIdentifier('1.2.840.10040.4.1'), parameters),
    encodeDerBitString(encodeDerPositiveInteger(y)),
  )
  return {
    algorithm: { kind: 'dsa', partBytes: q.length },
    key: createPublicKey({ key: spki, format: 'der', type: 'spki' }),
  }
}

/** Object identifier of a curve in hex → its name, and the length of a coordinate. */
const curves: ReadonlyMap<string, readonly [string, number]> = new Map([
  ['2a8648ce3d030107', ['P-256', 32]],
  ['2b81040022', ['P-384', 48]],
  ['2b81040023', ['P-521', 66]],
  ['2b8104000a', ['secp256k1', 32]],
])

function readEcdsaKey(reader: ByteReader): KeyMaterial | undefined {
  const curve = curves.get(reader.read(reader.readNumber(1)).toString('hex'))
  const point = reader.readInteger()
  if (curve === undefined) return undefined
  const [name, partBytes] = curve
  if (point.length !== 2 * partBytes + 1 || point[0] !== 4) return undefined
  const jwk = {
    kty: 'EC',
    crv: name,
    x: toBase64Url(point.subarray(1, partBytes + 1)),
    y: toBase64Url(point.subarray(partBytes + 1)),
  }
  return {
    algorithm: { kind: 'ecdsa', partBytes },
    key: createPublicKey({ key: jwk, format: 'jwk' }),
  }
}

function createEd25519Key(point: Buffer, isLegacy: boolean): KeyMaterial {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(point) }
  return {
    algorithm: { kind: 'ed25519', isLegacy },
    key: createPublicKey({ key: jwk, format: 'jwk' }),
  }
}

function toBase64Url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
