import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import {
  encodeDerBitString,
  encodeDerObjectIdentifier,
  encodeDerOctetString,
  encodeDerValue,
  encodeDerPositiveInteger,
  encodeDerSequence,
  encodeDerSet,
  encodeDerText,
  encodeDerTime,
  derTrue,
} from './der.ts'

/**
 * A certificate of this process with its key. A provider with TLS accepts only calls that use this
 * certificate.
 */
export interface SelfSignedCertificate {
  /** PEM. */
  readonly certificate: string
  /** PKCS #8 in PEM. */
  readonly privateKey: string
}

/** The object identifiers in the certificates. */
const oids = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const

/** The host of go-plugin's certificates. */
const defaultHosts = ['localhost'] as const
/** Time from the start of the validity to now, for a provider whose clock is behind. */
const clockToleranceMs = 30_000
/** Length of the validity from now on. It is longer than a host process runs. */
const validityMs = 10 * 365 * 24 * 3600 * 1000

/**
 * Creates a self-signed certificate as go-plugin demands it: for `localhost`, and for both ends of
 * a connection. Its key is on the elliptic curve P-256. Servers of tests have other `hosts`.
 */
export function createSelfSignedCertificate(
  nowMs: number,
  hosts: readonly string[] = defaultHosts,
): SelfSignedCertificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = encodeDerSequence(encodeDerObjectIdentifier(oids.ecdsaWithSha256))
  const name = encodeDerSequence(
    encodeDerSet(
      encodeDerSequence(encodeDerObjectIdentifier(oids.commonName), encodeDerText(hosts[0] ?? '')),
    ),
  )
  const body = encodeDerSequence(
    encodeDerValue(0xa0, encodeDerPositiveInteger(Buffer.from([2]))), // version 3
    encodeDerPositiveInteger(createSerialNumber()),
    algorithm,
    name,
    encodeDerSequence(encodeDerTime(nowMs - clockToleranceMs), encodeDerTime(nowMs + validityMs)),
    name,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    encodeDerValue(0xa3, encodeDerSequence(...createExtensions(hosts))),
  )
  const signature = sign('sha256', body, keys.privateKey)
  return {
    certificate: toPem(encodeDerSequence(body, algorithm, encodeDerBitString(signature))),
    privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Returns 16 random bytes. Go refuses negative numbers, and DER refuses leading zeros. */
function createSerialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

function createExtensions(hosts: readonly string[]): readonly Buffer[] {
  // digitalSignature, keyEncipherment, keyAgreement and keyCertSign: bits 0, 2, 4 and 5.
  const keyUsage = encodeDerBitString(Buffer.from([0b1010_1100]), 2)
  const usages = [oids.clientAuth, oids.serverAuth].map(encodeDerObjectIdentifier)
  return [
    createExtension(oids.keyUsage, keyUsage, { isCritical: true }),
    createExtension(oids.extendedKeyUsage, encodeDerSequence(...usages)),
    createExtension(oids.basicConstraints, encodeDerSequence(derTrue), { isCritical: true }),
    // The context tag 2 marks a DNS name.
    createExtension(
      oids.subjectAltName,
      encodeDerSequence(...hosts.map(host => encodeDerValue(0x82, Buffer.from(host)))),
    ),
  ]
}

function createExtension(oid: string, content: Buffer, { isCritical = false } = {}): Buffer {
  const criticality = isCritical ? [derTrue] : []
  return encodeDerSequence(
    encodeDerObjectIdentifier(oid),
    ...criticality,
    encodeDerOctetString(content),
  )
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
