import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { createSelfSignedCertificate } from './self-signed-certificate.ts'
import {
  encodeDerObjectIdentifier,
  encodeDerValue,
  encodeDerPositiveInteger,
  encodeDerTime,
} from './der.ts'

const nowMs = Date.UTC(2030, 0, 2, 3, 4, 5, 678)

describe('the certificate of a client', () => {
  const { certificate, privateKey } = createSelfSignedCertificate(nowMs)
  const parsed = new X509Certificate(certificate)

  test('is signed by its own key, and is marked as an authority', () => {
    expect(parsed.verify(parsed.publicKey)).toBe(true)
    expect(parsed.checkPrivateKey(createPrivateKey(privateKey))).toBe(true)
    expect(parsed.ca).toBe(true)
    expect(parsed.checkIssued(parsed)).toBe(true)
  })

  test('is for localhost and for both ends of a connection', () => {
    expect(parsed.checkHost('localhost')).toBe('localhost')
    expect(parsed.subject).toBe('CN=localhost')
    expect(parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1'])
  })

  test('is valid from 30 s before now for ten years', () => {
    expect(parsed.validFromDate).toEqual(new Date(Date.UTC(2030, 0, 2, 3, 3, 35)))
    expect(parsed.validToDate).toEqual(new Date(Date.UTC(2039, 11, 31, 3, 4, 5)))
  })

  test('has a positive serial number of its own', () => {
    const other = new X509Certificate(createSelfSignedCertificate(nowMs).certificate)
    // The first bits are 01, so the number is positive and has no leading zeros.
    expect(parsed.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/)
    expect(other.serialNumber).not.toBe(parsed.serialNumber)
  })

  test('is accepted by the TLS of Node', () => {
    expect(() => createSecureContext({ cert: certificate, key: privateKey })).not.toThrow()
  })
})

describe('DER', () => {
  test.each([
    [0, '0400'],
    [127, `047f${'00'.repeat(127)}`],
    [128, `048180${'00'.repeat(128)}`],
    [256, `04820100${'00'.repeat(256)}`],
  ])('encodes the length %d', (length, hex) => {
    expect(encodeDerValue(4, Buffer.alloc(length)).toString('hex')).toBe(hex)
  })

  test('encodes object identifiers, positive integers and times of both centuries', () => {
    expect(encodeDerObjectIdentifier('1.2.840.10045.4.3.2').toString('hex')).toBe(
      '06082a8648ce3d040302',
    )
    expect(encodeDerPositiveInteger(Buffer.from([0x80])).toString('hex')).toBe('02020080')
    expect(encodeDerPositiveInteger(Buffer.from([0x7f])).toString('hex')).toBe('02017f')
    expect(
      encodeDerTime(Date.UTC(2049, 11, 31))
        .toString('latin1')
        .slice(2),
    ).toBe('491231000000Z')
    expect(
      encodeDerTime(Date.UTC(2050, 0, 1))
        .toString('latin1')
        .slice(2),
    ).toBe('20500101000000Z')
  })
})
