import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSigningKey } from './signing-key.fixture.ts'
import { type SignatureCheck, verifyDetachedSignature } from './verify-detached.ts'

/** Keys and signatures that GnuPG 2.2.40 made. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'gnupg-signatures.fixture.json'), 'utf8'),
) as {
  readonly document: string
  readonly signatures: Readonly<
    Record<string, { readonly publicKey: string; readonly signature: string }>
  >
}

const nowMs = Date.UTC(2026, 11, 1)

function verifyRecorded(
  name: string,
  modify: (parts: { document: Buffer; signature: Buffer }) => void = () => undefined,
): SignatureCheck {
  const { publicKey = '', signature = '' } = recorded.signatures[name] ?? {}
  const parts = {
    document: Buffer.from(recorded.document),
    signature: Buffer.from(signature, 'base64'),
  }
  modify(parts)
  return verifyDetachedSignature(parts.document, parts.signature, {
    armoredKeys: [publicKey],
    nowMs,
  })
}

describe('a signature of GnuPG', () => {
  test.each(['RSA', 'DSA', 'ECDSA', 'EdDSA', 'an RSA subkey'])('by %s is valid', name => {
    expect(verifyRecorded(name).kind).toBe('valid')
  })

  test('by an expired key is reported as expired', () => {
    expect(verifyRecorded('an expired key').kind).toBe('expired')
  })

  test('by a key with a later expiry is valid if the key text has the old and the new key block', () => {
    expect(verifyRecorded('a key with a later expiry').kind).toBe('valid')
  })

  test('by a revoked key is invalid, even if the key text also has the key block before the revocation', () => {
    expect(verifyRecorded('a revoked key').kind).toBe('invalid')
  })

  test.each(['RSA', 'DSA', 'ECDSA', 'EdDSA', 'an RSA subkey'])(
    'by %s is invalid after a change of the document or of a signed byte of the signature',
    name => {
      const { signature = '' } = recorded.signatures[name] ?? {}
      const length = Buffer.from(signature, 'base64').length
      for (let index = 0; index < length; index++) {
        const check = verifyRecorded(name, parts => {
          parts.signature.writeUInt8(parts.signature.readUInt8(index) ^ 1, index)
        })
        // The hints after the hashed part are not signed: they only help to find the key.
        if (check.kind !== 'invalid')
          expect(isUncheckedByte(Buffer.from(signature, 'base64'), index)).toBe(true)
      }
      const changed = verifyRecorded(name, ({ document }) => {
        document.writeUInt8(document.readUInt8(0) ^ 1, 0)
      })
      expect(changed).toEqual({ kind: 'invalid', problem: 'it does not match the document' })
    },
  )

  test('is invalid when it is cut off', () => {
    const check = verifyRecorded('RSA', parts => {
      parts.signature = parts.signature.subarray(0, 100)
    })
    expect(check.kind).toBe('invalid')
  })
})

/** Reports whether a change of this byte of a signature packet may leave the signature valid. */
function isUncheckedByte(packet: Buffer, index: number): boolean {
  const headerLength = (packet.readUInt8(0) & 3) + 2
  const hashedLength = packet.readUInt16BE(headerLength + 4)
  const hintsStart = headerLength + 6 + hashedLength
  const hintsEnd = hintsStart + 2 + packet.readUInt16BE(hintsStart)
  return (
    index === 0 ||
    (index >= hintsStart && index < hintsEnd) ||
    isLastBitLengthByte(packet, index, hintsEnd)
  )
}

/**
 * Reports whether a byte is the lower half of a number's length in bits. A change of this half may
 * leave the length in bytes as it is.
 */
function isLastBitLengthByte(packet: Buffer, index: number, hintsEnd: number): boolean {
  for (let position = hintsEnd + 2; position < packet.length; ) {
    if (index === position + 1) return true
    position += 2 + Math.ceil(packet.readUInt16BE(position) / 8)
  }
  return false
}

describe('a signature', () => {
  const document = Buffer.from('document')

  test('is valid with one of several keys', () => {
    const [key, otherKey] = [createSigningKey(), createSigningKey()]
    const armoredKeys = [otherKey.armoredKey, key.armoredKey]
    expect(verifyDetachedSignature(document, key.sign(document), { armoredKeys, nowMs }).kind).toBe(
      'valid',
    )
  })

  test('of another key is invalid', () => {
    const options = { armoredKeys: [createSigningKey().armoredKey], nowMs }
    expect(verifyDetachedSignature(document, createSigningKey().sign(document), options)).toEqual({
      kind: 'invalid',
      problem: 'it was made by another key',
    })
  })

  test('of a key that may not sign is invalid', () => {
    // The flags 0x04 and 0x08 permit only encryption.
    const key = createSigningKey({ keyFlags: 0x0c })
    const options = { armoredKeys: [key.armoredKey], nowMs }
    expect(verifyDetachedSignature(document, key.sign(document), options).kind).toBe('invalid')
  })

  test.each(['', 'nonsense', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n'])(
    'with the key %j is invalid',
    armored => {
      const options = { armoredKeys: [armored], nowMs }
      expect(
        verifyDetachedSignature(document, createSigningKey().sign(document), options).kind,
      ).toBe('invalid')
    },
  )

  test('that is no OpenPGP data is invalid', () => {
    const options = { armoredKeys: [createSigningKey().armoredKey], nowMs }
    for (const text of ['', 'nonsense', '\u0088', '<html>'])
      expect(verifyDetachedSignature(document, Buffer.from(text, 'latin1'), options).kind).toBe(
        'invalid',
      )
  })
})
