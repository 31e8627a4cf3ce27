/** A packet of OpenPGP. Source: RFC 9580, section 4. */
export interface Packet {
  readonly tag: number
  readonly body: Buffer
}

/** The error of input that is no valid OpenPGP data, or that uses an unsupported feature of it. */
export class OpenPgpError extends Error {
  override readonly name = 'OpenPgp'
}

/** Tags of the packets that signatures and keys need. */
export const packetTags = { signature: 2, publicKey: 6, userId: 13, subkey: 14 } as const

const armorPattern = new RegExp(
  [
    '-----BEGIN PGP [A-Z ]+-----[ \\t]*\\r?\\n',
    // Headers and an empty line.
    '(?:[^\\r\\n]+: ?[^\\r\\n]*\\r?\\n)*[ \\t]*\\r?\\n',
    // The data, an optional line with its checksum, and the end line.
    '(?<base64>[\\sA-Za-z0-9+/=]*?)(?:\\r?\\n=[A-Za-z0-9+/]{4}[ \\t]*)?\\r?\\n-----END PGP',
  ].join(''),
  'g',
)

/**
 * Returns the bytes of all blocks of ASCII armor. Input without armor is returned unchanged. The
 * checksums of the armor are not compared, because signatures protect the bytes. Throws
 * `OpenPgpError`.
 */
export function readArmor(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  if (!/^\s*-----BEGIN PGP/.test(text)) return bytes
  const blocks = [...text.matchAll(armorPattern)].map(({ groups }) =>
    Buffer.from(groups?.['base64']?.replaceAll(/\s/g, '') ?? '', 'base64'),
  )
  if (blocks.length === 0) throw new OpenPgpError('the ASCII armor is invalid')
  return Buffer.concat(blocks)
}

/**
 * Splits data into its packets. Throws `OpenPgpError` for malformed data, and for packets of
 * unknown length.
 */
export function splitPackets(bytes: Buffer): readonly Packet[] {
  const packets: Packet[] = []
  const reader = createByteReader(bytes)
  while (!reader.isAtEnd()) {
    const header = reader.readNumber(1)
    if ((header & 0x80) === 0) throw new OpenPgpError('a packet has no valid header')
    const isNewFormat = (header & 0x40) !== 0
    const tag = isNewFormat ? header & 0x3f : (header >> 2) & 0x0f
    const length = isNewFormat ? readLength(reader) : readOldLength(reader, header & 3)
    packets.push({ tag, body: reader.read(length) })
  }
  return packets
}

/** A reader that checks every length. */
export interface ByteReader {
  readonly isAtEnd: () => boolean
  readonly read: (length: number) => Buffer
  /** Reads an unsigned number of at most four bytes. */
  readonly readNumber: (byteCount: number) => number
  /** Reads the length of an integer in bits, and then the integer. */
  readonly readInteger: () => Buffer
  readonly readRest: () => Buffer
}

/** Creates a reader. Its functions throw `OpenPgpError` at the end of the bytes. */
export function createByteReader(bytes: Buffer): ByteReader {
  let position = 0
  const read = (length: number): Buffer => {
    if (length > bytes.length - position) throw new OpenPgpError('the data is cut off')
    position += length
    return bytes.subarray(position - length, position)
  }
  const readNumber = (byteCount: number): number => read(byteCount).readUIntBE(0, byteCount)
  return {
    isAtEnd: () => position >= bytes.length,
    read,
    readNumber,
    readInteger: () => read(Math.ceil(readNumber(2) / 8)),
    readRest: () => read(bytes.length - position),
  }
}

/** Reads a length of the new packet format, which subpackets also use. */
export function readLength(reader: ByteReader): number {
  const first = reader.readNumber(1)
  if (first < 192) return first
  if (first < 224) return (first - 192) * 256 + reader.readNumber(1) + 192
  if (first === 255) return reader.readNumber(4)
  throw new OpenPgpError('packets in parts are not supported')
}

function readOldLength(reader: ByteReader, lengthType: number): number {
  if (lengthType === 3) throw new OpenPgpError('packets without length are not supported')
  return reader.readNumber(2 ** lengthType)
}
