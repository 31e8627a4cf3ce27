import { messageOf } from '../../../../errors/error.ts'
import { OpenPgpError, type Packet, packetTags, readArmor, splitPackets } from './packets.ts'
import { parsePublicKey, type PublicKey } from './public-key.ts'
import { parseSignature, type Signature, signatureTypes as types } from './signature.ts'

/** The result of a verification. `keyId`: the key that made the signature, in hex. */
export type SignatureCheck =
  | { readonly kind: 'valid' | 'expired'; readonly keyId: string }
  | { readonly kind: 'invalid'; readonly problem: string }

/**
 * Verifies a detached signature over a document with any of the keys. `expired`: the signature is
 * correct, but its key has expired. A key counts only if its owner has validly signed it and not
 * revoked it, and if it may sign documents.
 */
export function verifyDetachedSignature(
  document: Buffer,
  signature: Buffer,
  options: { readonly armoredKeys: readonly string[]; readonly nowMs: number },
): SignatureCheck {
  const nowSeconds = Math.floor(options.nowMs / 1000)
  try {
    const signatures = splitPackets(readArmor(signature))
      .filter(({ tag }) => tag === packetTags.signature)
      .flatMap(({ body }) => parseSignature(body) ?? [])
      .filter(({ type }) => type === types.document)
    const keys = readSigningKeys(
      options.armoredKeys.flatMap(armored => splitPackets(readArmor(Buffer.from(armored)))),
    )
    return checkSignatures(document, { signatures, keys, nowSeconds })
  } catch (thrown) {
    // The parsers throw for malformed data, and Node throws for impossible numbers in keys and
    // signatures.
    return { kind: 'invalid', problem: messageOf(thrown) }
  }
}

/** A key that may sign documents. */
interface SigningKey {
  readonly key: PublicKey
  /** undefined = it never expires. */
  readonly expiresAtSeconds: number | undefined
}

function checkSignatures(
  document: Buffer,
  options: {
    readonly signatures: readonly Signature[]
    readonly keys: readonly SigningKey[]
    readonly nowSeconds: number
  },
): SignatureCheck {
  const { signatures, keys, nowSeconds } = options
  if (signatures.length === 0)
    return { kind: 'invalid', problem: 'its file has no signature of a supported kind' }
  let problem = 'it was made by another key'
  for (const signature of signatures) {
    const { issuer = '', createdAtSeconds, lifetimeSeconds } = signature
    const signingKey = keys.find(({ key }) => issuer !== '' && key.fingerprint.endsWith(issuer))
    if (signingKey === undefined) continue
    const { key, expiresAtSeconds = Infinity } = signingKey
    const signatureEndSeconds = createdAtSeconds + (lifetimeSeconds ?? Infinity)
    if (!signature.isValidFor(document, key)) problem = 'it does not match the document'
    else if (signatureEndSeconds < nowSeconds) problem = 'it has expired'
    else return { kind: expiresAtSeconds < nowSeconds ? 'expired' : 'valid', keyId: key.keyId }
  }
  return { kind: 'invalid', problem }
}

/** Reads the packets of public keys. Returns the keys and subkeys that may sign documents. */
function readSigningKeys(packets: readonly Packet[]): readonly SigningKey[] {
  return groupByPrimary(splitSections(packets)).flatMap(sections => {
    const [first] = sections
    const primary = first === undefined ? undefined : readPrimaryKey(first.head, sections)
    if (primary === undefined) return []
    const subkeys = sections
      .filter(({ head }) => head.tag === packetTags.subkey)
      .flatMap(({ head, signatures }) => readSubkey(primary, head, signatures) ?? [])
    return primary.maySign ? [primary, ...subkeys] : subkeys
  })
}

/** A key or user id, with the signatures that follow it. */
interface KeySection {
  readonly head: Packet
  readonly signatures: readonly Signature[]
}

function splitSections(packets: readonly Packet[]): readonly KeySection[] {
  const sections: { head: Packet; signatures: Signature[] }[] = []
  for (const packet of packets)
    if (packet.tag !== packetTags.signature) sections.push({ head: packet, signatures: [] })
    else {
      const signature = parseOptionalSignature(packet.body)
      if (signature !== undefined) sections.at(-1)?.signatures.push(signature)
    }
  return sections
}

/**
 * Parses a signature over a key. Returns undefined if it cannot be read, because other signatures
 * may be valid.
 */
function parseOptionalSignature(body: Buffer): Signature | undefined {
  try {
    return parseSignature(body)
  } catch (thrown) {
    if (thrown instanceof OpenPgpError) return undefined
    throw thrown
  }
}

/**
 * Groups sections by their primary keys. The parts of a key that occurs several times are merged,
 * because its owner may have changed its expiry or revoked it meanwhile.
 */
function groupByPrimary(sections: readonly KeySection[]): readonly (readonly KeySection[])[] {
  const groups = new Map<string, Map<string, KeySection>>()
  let group: Map<string, KeySection> | undefined
  for (const { head, signatures } of sections) {
    const packetKey = `${head.tag} ${head.body.toString('base64')}`
    if (head.tag === packetTags.publicKey) {
      group = groups.get(packetKey) ?? new Map<string, KeySection>()
      groups.set(packetKey, group)
    }
    const known = group?.get(packetKey)?.signatures ?? []
    group?.set(packetKey, { head, signatures: [...known, ...signatures] })
  }
  return [...groups.values()].map(merged => [...merged.values()])
}

/** Reads a primary key. Returns undefined if its owner has not signed it, or has revoked it. */
function readPrimaryKey(
  head: Packet,
  sections: readonly KeySection[],
): (SigningKey & { readonly maySign: boolean }) | undefined {
  const key = parsePublicKey(head.body)
  if (key === undefined) return undefined
  const ownSignatures = sections.flatMap(({ head, signatures }) =>
    signatures.filter(signature => signature.isValidFor(signedBytesOf(key, head, signature), key)),
  )
  if (ownSignatures.some(({ type }) => type === types.keyRevocation)) return undefined
  const certifications: readonly number[] = [...types.certifications, types.directKey]
  const latest = findLatest(ownSignatures.filter(({ type }) => certifications.includes(type)))
  if (latest === undefined) return undefined
  return {
    key,
    expiresAtSeconds: expiryOf(key, latest),
    maySign: latest.keyFlags === undefined || (latest.keyFlags & signFlag) !== 0,
  }
}

/** The bit of the key flags for a key that may sign documents. */
const signFlag = 0x02

/** Reads a subkey. It counts only if both keys have signed that they belong together. */
function readSubkey(
  primary: SigningKey,
  head: Packet,
  signatures: readonly Signature[],
): SigningKey | undefined {
  const subkey = parsePublicKey(head.body)
  if (subkey === undefined) return undefined
  const boundBytes = Buffer.concat([primary.key.signedBytes, subkey.signedBytes])
  const valid = signatures.filter(signature => signature.isValidFor(boundBytes, primary.key))
  if (valid.some(({ type }) => type === types.subkeyRevocation)) return undefined
  const binding = findLatest(valid.filter(({ type }) => type === types.subkeyBinding))
  if (binding === undefined || ((binding.keyFlags ?? 0) & signFlag) === 0) return undefined
  const subkeySignature =
    binding.embeddedSignature === undefined
      ? undefined
      : parseOptionalSignature(binding.embeddedSignature)
  const isBound =
    subkeySignature?.type === types.primaryKeyBinding &&
    subkeySignature.isValidFor(boundBytes, subkey)
  if (!isBound) return undefined
  const ends = [primary.expiresAtSeconds, expiryOf(subkey, binding)]
  const knownEnds = ends.filter(end => end !== undefined)
  return {
    key: subkey,
    expiresAtSeconds: knownEnds.length === 0 ? undefined : Math.min(...knownEnds),
  }
}

/** Returns the bytes that a signature of a primary key covers. The signature follows `head`. */
function signedBytesOf(key: PublicKey, head: Packet, { type }: Signature): Buffer {
  const isCertification = (types.certifications as readonly number[]).includes(type)
  if (head.tag !== packetTags.userId || !isCertification) return key.signedBytes
  const lengthBytes = Buffer.alloc(4)
  lengthBytes.writeUInt32BE(head.body.length)
  return Buffer.concat([key.signedBytes, Buffer.of(0xb4), lengthBytes, head.body])
}

function findLatest(signatures: readonly Signature[]): Signature | undefined {
  return signatures.toSorted((a, b) => b.createdAtSeconds - a.createdAtSeconds)[0]
}

function expiryOf(
  { createdAtSeconds }: PublicKey,
  { keyLifetimeSeconds }: Signature,
): number | undefined {
  return keyLifetimeSeconds === undefined ? undefined : createdAtSeconds + keyLifetimeSeconds
}
