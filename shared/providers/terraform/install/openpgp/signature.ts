import { createHash, verify } from 'node:crypto'
import { type ByteReader, createByteReader, OpenPgpError, readLength } from './packets.ts'
import type { PublicKey } from './public-key.ts'

/** A signature of version 4. Source: RFC 9580, section 5.2. */
export interface Signature {
  readonly type: number
  /** The key that the signature names, in hex: a fingerprint or a key id. */
  readonly issuer: string | undefined
  readonly createdAtSeconds: number
  /** How long the signature is valid. undefined = it never expires. */
  readonly lifetimeSeconds: number | undefined
  /** How long the signed key is valid after its creation. undefined = it never expires. */
  readonly keyLifetimeSeconds: number | undefined
  /** The permitted uses of the signed key. undefined = a primary key may sign, a subkey may not. */
  readonly keyFlags: number | undefined
  /** The signature of a subkey over its primary key, as the body of a packet. */
  readonly embeddedSignature: Buffer | undefined
  /** Reports whether a key made this signature over these bytes. */
  readonly isValidFor: (signedBytes: Buffer, key: PublicKey) => boolean
}

/** Types of signatures. */
export const signatureTypes = {
  document: 0x00,
  certifications: [0x10, 0x11, 0x12, 0x13],
  subkeyBinding: 0x18,
  primaryKeyBinding: 0x19,
  directKey: 0x1f,
  keyRevocation: 0x20,
  subkeyRevocation: 0x28,
} as const

/**
 * The names of the hash algorithms by their numbers in RFC 9580, section 9.5. SHA-1 is accepted
 * only in signatures over keys, not in those over documents.
 */
const hashNames: ReadonlyMap<number, string> = new Map([
  [2, 'sha1'],
  [8, 'sha256'],
  [9, 'sha384'],
  [10, 'sha512'],
  [11, 'sha224'],
  [12, 'sha3-256'],
  [14, 'sha3-512'],
])

/** The kinds of keys by the numbers of their algorithms in RFC 9580, section 9.1. */
const algorithmKinds: ReadonlyMap<number, PublicKey['algorithm']['kind']> = new Map([
  [1, 'rsa'],
  [3, 'rsa'],
  [17, 'dsa'],
  [19, 'ecdsa'],
  [22, 'ed25519'],
  [27, 'ed25519'],
])

/**
 * Parses a signature. Returns undefined for unsupported versions and algorithms. Throws
 * `OpenPgpError` for malformed data, and for unknown critical subpackets.
 */
export function parseSignature(body: Buffer): Signature | undefined {
  const reader = createByteReader(body)
  if (reader.readNumber(1) !== 4) return undefined
  const type = reader.readNumber(1)
  const kind = algorithmKinds.get(reader.readNumber(1))
  const hashName = hashNames.get(reader.readNumber(1))
  const hashedSubpackets = reader.read(reader.readNumber(2))
  // Six bytes precede the subpackets: version, type, two algorithms, and a length of two bytes.
  const hashedPart = body.subarray(0, 6 + hashedSubpackets.length)
  const unhashedSubpackets = reader.read(reader.readNumber(2))
  const digestStart = reader.read(2)
  const value = reader.readRest()
  if (kind === undefined || hashName === undefined) return undefined
  if (hashName === 'sha1' && type === signatureTypes.document) return undefined
  const signedFields = readSubpackets(hashedSubpackets)
  const unsignedFields = readSubpackets(unhashedSubpackets)
  const lengthBytes = Buffer.alloc(4)
  lengthBytes.writeUInt32BE(hashedPart.length)
  const trailer = Buffer.concat([hashedPart, Buffer.of(4, 0xff), lengthBytes])
  return {
    type,
    issuer:
      signedFields.fingerprint ??
      signedFields.keyId ??
      unsignedFields.fingerprint ??
      unsignedFields.keyId,
    createdAtSeconds: signedFields.createdAtSeconds ?? 0,
    lifetimeSeconds: signedFields.lifetimeSeconds,
    keyLifetimeSeconds: signedFields.keyLifetimeSeconds,
    keyFlags: signedFields.keyFlags,
    embeddedSignature: signedFields.embeddedSignature ?? unsignedFields.embeddedSignature,
    isValidFor(signedBytes, key) {
      if (key.algorithm.kind !== kind) return false
      const message = Buffer.concat([signedBytes, trailer])
      const digest = createHash(hashName).update(message).digest()
      if (!digest.subarray(0, 2).equals(digestStart)) return false
      return verifyValue({ value, message, digest, hashName }, key)
    },
  }
}

function verifyValue(
  signed: {
    readonly value: Buffer
    readonly message: Buffer
    readonly digest: Buffer
    readonly hashName: string
  },
  { algorithm, key }: PublicKey,
): boolean {
  const reader = createByteReader(signed.value)
  switch (algorithm.kind) {
    case 'rsa': {
      const signature = padStart(reader.readInteger(), algorithm.partBytes)
      return verify(signed.hashName, signed.message, key, signature)
    }
    case 'ed25519': {
      const signature = algorithm.isLegacy
        ? Buffer.concat([padStart(reader.readInteger(), 32), padStart(reader.readInteger(), 32)])
        : reader.read(64)
      return verify(null, signed.digest, key, signature)
    }
    default: {
      const { partBytes } = algorithm
      const parts = [reader.readInteger(), reader.readInteger()]
      const signature = Buffer.concat(parts.map(part => padStart(part, partBytes)))
      return verify(signed.hashName, signed.message, { key, dsaEncoding: 'ieee-p1363' }, signature)
    }
  }
}

function padStart(bytes: Buffer, length: number): Buffer {
  if (bytes.length > length) throw new OpenPgpError('a number of a signature is too long')
  return Buffer.concat([Buffer.alloc(length - bytes.length), bytes])
}

interface Subpackets {
  createdAtSeconds?: number
  lifetimeSeconds?: number | undefined
  keyLifetimeSeconds?: number | undefined
  keyFlags?: number
  keyId?: string
  fingerprint?: string
  embeddedSignature?: Buffer
}

/** Types of the subpackets that this file reads. Source: RFC 9580, section 5.2.3.7. */
const subpacketTypes = {
  creationTime: 2,
  expirationTime: 3,
  keyExpirationTime: 9,
  issuerKeyId: 16,
  keyFlags: 27,
  embeddedSignature: 32,
  issuerFingerprint: 33,
} as const

/** Types of the subpackets that have no effect on the validity of a signature. Same source. */
const harmlessSubpackets = {
  exportableCertification: 4,
  trustSignature: 5,
  revocable: 7,
  preferredSymmetricCiphers: 11,
  preferredHashes: 21,
  preferredCompression: 22,
  keyServerPreferences: 23,
  preferredKeyServer: 24,
  primaryUserId: 25,
  policyUri: 26,
  signerUserId: 28,
  revocationReason: 29,
  features: 30,
  /** A type of earlier drafts, which is reserved now. */
  preferredAeadAlgorithms: 34,
  intendedRecipient: 35,
  preferredAeadCiphersuites: 39,
} as const
const harmlessTypes: ReadonlySet<number> = new Set(Object.values(harmlessSubpackets))

function readSubpackets(bytes: Buffer): Subpackets {
  const reader = createByteReader(bytes)
  const subpackets: Subpackets = {}
  while (!reader.isAtEnd()) {
    const body = createByteReader(reader.read(readLength(reader)))
    const header = body.readNumber(1)
    const isCritical = (header & 0x80) !== 0
    const type = header & 0x7f
    const isKnown = readSubpacket(type, body, subpackets) || harmlessTypes.has(type)
    if (isCritical && !isKnown)
      throw new OpenPgpError(`a signature has the unknown critical subpacket ${type}`)
  }
  return subpackets
}

function readSubpacket(type: number, body: ByteReader, subpackets: Subpackets): boolean {
  switch (type) {
    case subpacketTypes.creationTime:
      subpackets.createdAtSeconds = body.readNumber(4)
      return true
    case subpacketTypes.expirationTime:
      subpackets.lifetimeSeconds = body.readNumber(4) || undefined
      return true
    case subpacketTypes.keyExpirationTime:
      subpackets.keyLifetimeSeconds = body.readNumber(4) || undefined
      return true
    case subpacketTypes.issuerKeyId:
      subpackets.keyId = body.read(8).toString('hex')
      return true
    case subpacketTypes.keyFlags:
      subpackets.keyFlags = body.isAtEnd() ? 0 : body.readNumber(1)
      return true
    case subpacketTypes.embeddedSignature:
      subpackets.embeddedSignature = body.readRest()
      return true
    case subpacketTypes.issuerFingerprint:
      // The version of the key precedes its fingerprint.
      body.readNumber(1)
      subpackets.fingerprint = body.readRest().toString('hex')
      return true
    default:
      return false
  }
}
