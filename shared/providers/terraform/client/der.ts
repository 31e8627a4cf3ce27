/** The tags of ASN.1 values that a certificate contains. */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** Encodes a value of ASN.1: its tag, its length and its content. */
export function encodeDerValue(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag, ...encodeLength(bytes.length)]), bytes])
}

function encodeLength(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const octets: number[] = []
  for (let remaining = length; remaining > 0; remaining = Math.floor(remaining / 256))
    octets.unshift(remaining % 256)
  return [0x80 | octets.length, ...octets]
}

/** Encodes a SEQUENCE. */
export function encodeDerSequence(...items: readonly Uint8Array[]): Buffer {
  return encodeDerValue(tags.sequence, ...items)
}

/** Encodes a SET of one item. */
export function encodeDerSet(item: Uint8Array): Buffer {
  return encodeDerValue(tags.set, item)
}

/** The BOOLEAN TRUE. DER leaves out FALSE, because it is the default. */
export const derTrue = encodeDerValue(tags.boolean, Buffer.from([0xff]))

/** Encodes a positive INTEGER from its big-endian bytes, which must not begin with 0. */
export function encodeDerPositiveInteger(bytes: Uint8Array): Buffer {
  const hasSignBit = (bytes[0] ?? 0) >= 0x80
  return encodeDerValue(tags.integer, hasSignBit ? Buffer.from([0]) : Buffer.alloc(0), bytes)
}

/** Encodes a BIT STRING whose last byte has `unusedBits` unused bits. */
export function encodeDerBitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return encodeDerValue(tags.bitString, Buffer.from([unusedBits]), bytes)
}

/** Encodes an OCTET STRING that wraps other DER. */
export function encodeDerOctetString(content: Uint8Array): Buffer {
  return encodeDerValue(tags.octetString, content)
}

/** Encodes a UTF8String. */
export function encodeDerText(text: string): Buffer {
  return encodeDerValue(tags.utf8String, Buffer.from(text, 'utf8'))
}

/** Encodes an OBJECT IDENTIFIER, such as `2.5.4.3`. Its first two numbers share one byte. */
export function encodeDerObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  return encodeDerValue(
    tags.objectIdentifier,
    Buffer.from([first * 40 + second, ...others.flatMap(encodeBase128)]),
  )
}

/** Encodes a number in groups of 7 bits; all but the last group have the high bit set. */
function encodeBase128(number: number): readonly number[] {
  const groups = [number % 128]
  for (
    let remaining = Math.floor(number / 128);
    remaining > 0;
    remaining = Math.floor(remaining / 128)
  )
    groups.unshift(0x80 | (remaining % 128))
  return groups
}

/**
 * Encodes a time in whole seconds: UTCTime until 2049, as RFC 5280 demands, then GeneralizedTime.
 */
export function encodeDerTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '')
  return Number(digits.slice(0, 4)) < 2050
    ? encodeDerValue(tags.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : encodeDerValue(tags.generalizedTime, Buffer.from(`${digits}Z`))
}
