import { createHash, generateKeyPairSync, sign } from 'node:crypto'

/** A key pair of a test, which signs documents as GnuPG does. */
export interface SigningKey {
  readonly armoredKey: string
  readonly sign: (document: Buffer) => Buffer
}

/**
 * Creates an Ed25519 key. `lifetimeSeconds`: the time after 2026-01-01 until it expires.
 * `keyFlags`: its uses, by default certifications (1) and signatures of documents (2).
 */
export function createSigningKey(
  options: { readonly lifetimeSeconds?: number; readonly keyFlags?: number } = {},
): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const point = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
  const curve = Buffer.from('2b06010401da470f01', 'hex')
  const body = Buffer.concat([
    ...[Buffer.of(4), encodeUint32(createdAtSeconds), Buffer.of(22, curve.length), curve],
    ...[encodeUint16(263), Buffer.of(0x40), point],
  ])
  const keyBytes = Buffer.concat([Buffer.of(0x99), encodeUint16(body.length), body])
  const keyId = createHash('sha1').update(keyBytes).digest().subarray(-8)
  const createSignature = (type: number, signedBytes: Buffer, extra: readonly Buffer[]): Buffer => {
    const hashed = Buffer.concat([encodeSubpacket(2, encodeUint32(createdAtSeconds)), ...extra])
    const head = Buffer.concat([Buffer.of(4, type, 22, 8), encodeUint16(hashed.length), hashed])
    const digest = createHash('sha256')
      .update(Buffer.concat([signedBytes, head, Buffer.of(4, 0xff), encodeUint32(head.length)]))
      .digest()
    const value = sign(null, digest, privateKey)
    const issuer = encodeSubpacket(16, keyId)
    return encodePacket(
      2,
      Buffer.concat([
        ...[head, encodeUint16(issuer.length), issuer, digest.subarray(0, 2)],
        ...[encodeInteger(value.subarray(0, 32)), encodeInteger(value.subarray(32))],
      ]),
    )
  }
  const user = Buffer.from('test <test@example.com>')
  const certification = createSignature(
    0x13,
    Buffer.concat([keyBytes, Buffer.of(0xb4), encodeUint32(user.length), user]),
    [
      encodeSubpacket(27, Buffer.of(options.keyFlags ?? 0x03)),
      ...(options.lifetimeSeconds === undefined
        ? []
        : [encodeSubpacket(9, encodeUint32(options.lifetimeSeconds))]),
    ],
  )
  const block = Buffer.concat([encodePacket(6, body), encodePacket(13, user), certification])
  return {
    armoredKey: [
      '-----BEGIN PGP PUBLIC KEY BLOCK-----',
      '',
      ...(block.toString('base64').match(/.{1,64}/g) ?? []),
      '-----END PGP PUBLIC KEY BLOCK-----',
      '',
    ].join('\n'),
    sign: document => createSignature(0, document, []),
  }
}

/** 2026-01-01. */
const createdAtSeconds = 1_767_225_600

function encodePacket(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0xc0 | tag, 0xff), encodeUint32(body.length), body])
}

function encodeSubpacket(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(body.length + 1, type), body])
}

/** Encodes an integer with its length in bits. */
function encodeInteger(bytes: Buffer): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const stripped = bytes.subarray(first)
  const bitCount = stripped.length * 8 - Math.clz32(stripped[0] ?? 0) + 24
  return Buffer.concat([encodeUint16(bitCount), stripped])
}

function encodeUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
