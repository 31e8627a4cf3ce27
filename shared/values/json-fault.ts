import { isUtf8 } from 'node:buffer'

/** The codes of the bytes that JSON uses. */
const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  letterU: 0x75,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/** The first bytes of formats that users confuse with JSON, in hexadecimal. */
const otherFormats: readonly (readonly [prefix: string, description: string])[] = [
  ['efbbbf', 'it begins with a byte order mark, which JSON does not allow'],
  ['fffe', 'it is encoded in UTF-16, not in UTF-8'],
  ['feff', 'it is encoded in UTF-16, not in UTF-8'],
  ['1f8b', 'it is compressed with gzip'],
  ['28b52ffd', 'it is compressed with zstd'],
  ['504b0304', 'it is a zip archive'],
  ['7f454c46', 'it is a binary file'],
]

/**
 * Maximum size of a text whose description names the line and column of the fault, in bytes. The
 * search for them takes time, and a server answers no other request meanwhile.
 */
const placeBytesMax = 16 * 1024 * 1024
/** Maximum size of a text in JavaScript, in bytes. */
const textBytesMax = 512 * 1024 * 1024

/**
 * Describes why bytes are not a JSON text, as a clause with the subject "it". The clause names the
 * actual format, or the line and the column of the first fault. It contains nothing of the text,
 * which may have secrets. The clause for valid JSON, or for more than 16 MiB, names no place.
 */
export function describeJsonFault(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  const otherFormat = otherFormats.find(([prefix]) => start.startsWith(prefix))
  if (otherFormat !== undefined) return otherFormat[1]
  const first = bytes.findIndex(byte => byte > 0x20)
  if (first === -1) return bytes.includes(0) ? 'it is a binary file' : 'it is empty'
  if (bytes[first] === 0x3c) return 'it is HTML or XML, not JSON'
  if (bytes.includes(0)) return 'it is a binary file'
  if (bytes.length > textBytesMax) return 'it has more than 512 MiB'
  if (bytes.length > placeBytesMax) return 'it is not JSON'
  const badLine = findBadLine(bytes)
  if (badLine !== undefined) return `it has a byte in line ${badLine} that is not UTF-8`
  const offset = findFaultOffset(bytes)
  if (offset === undefined) return 'it is not JSON'
  const place = describePlace(bytes, offset)
  return offset === bytes.length
    ? `it is truncated: it ends at ${place}`
    : `it is not JSON at ${place}`
}

/** Returns the number of the first line that is not UTF-8, or undefined. */
function findBadLine(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined
  let [line, start] = [1, 0]
  for (;;) {
    const end = bytes.indexOf(0x0a, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    line += 1
    start = end + 1
  }
}

/** Returns `line 3, column 9`. Both numbers count from 1, and the column counts characters. */
function describePlace(bytes: Uint8Array, offset: number): string {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, offset)
  const lineStart = before.lastIndexOf(0x0a) + 1
  let line = 1
  for (const byte of before) if (byte === 0x0a) line += 1
  return `line ${line}, column ${before.subarray(lineStart).toString().length + 1}`
}

/** The part that the scanner accepts next. The `first` parts also accept the closing bracket. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'nothing'

/** The location of the scanner. `closers`: the closing bytes of all open lists and objects. */
interface Scanner {
  readonly bytes: Buffer
  readonly closers: number[]
  offset: number
  expected: Expected
}

/**
 * Returns the offset of the first byte that no JSON text could have there. For a truncated text it
 * is the number of bytes. Returns undefined for valid JSON.
 */
function findFaultOffset(bytes: Uint8Array): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const scanner: Scanner = { bytes: buffer, closers: [], offset: 0, expected: 'value' }
  while (scanner.offset < bytes.length) {
    const byte = bytes[scanner.offset] ?? 0
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d && byte !== 0x0b && byte !== 0x0c)) {
      scanner.offset += 1
      continue
    }
    if (!readToken(scanner, byte)) return Math.min(scanner.offset, bytes.length)
  }
  return scanner.expected === 'nothing' ? undefined : bytes.length
}

/** Reads one token. If the token is wrong, returns false, and the offset is that of the fault. */
function readToken(scanner: Scanner, byte: number): boolean {
  const { expected } = scanner
  if (expected === 'colon') return readSign(scanner, byte === codes.colon, 'value')
  if (byte === scanner.closers.at(-1) && /^(comma|first)/.test(expected)) {
    scanner.closers.pop()
    return readSign(scanner, true, expectedAfterValueOf(scanner))
  }
  if (expected === 'comma')
    return readSign(
      scanner,
      byte === codes.comma,
      scanner.closers.at(-1) === codes.closeBrace ? 'key' : 'value',
    )
  if (expected === 'nothing') return false
  if (byte === codes.quote) {
    const next = expected.endsWith('key') ? 'colon' : expectedAfterValueOf(scanner)
    return readString(scanner) && readSign(scanner, true, next)
  }
  if (expected.endsWith('key')) return false
  if (byte === codes.openBrace || byte === codes.openBracket) {
    // In ASCII, the code of a closing byte is that of the opening one plus 2.
    scanner.closers.push(byte + 2)
    return readSign(scanner, true, byte === codes.openBrace ? 'first key' : 'first value')
  }
  return readWord(scanner)
}

function expectedAfterValueOf({ closers }: Scanner): Expected {
  return closers.length === 0 ? 'nothing' : 'comma'
}

function readSign(scanner: Scanner, isRight: boolean, next: Expected): boolean {
  if (!isRight) return false
  scanner.offset += 1
  scanner.expected = next
  return true
}

/** Moves to the closing quote of a string. */
function readString(scanner: Scanner): boolean {
  const { bytes } = scanner
  for (scanner.offset += 1; scanner.offset < bytes.length; scanner.offset += 1) {
    const byte = bytes[scanner.offset] ?? 0
    if (byte === codes.quote) return true
    if (byte < 0x20) return false
    if (byte !== codes.backslash) continue
    if (isBadEscape(bytes, scanner.offset)) return false
    scanner.offset += 1
  }
  return false
}

/** The bytes that may follow a backslash, without `u`. */
const escapedBytes = new Set(Buffer.from('"\\/bfnrt'))

/** Reports whether the escape at an offset is invalid. A truncated escape is not. */
function isBadEscape(bytes: Uint8Array, offset: number): boolean {
  const byte = bytes[offset + 1]
  if (byte === undefined || escapedBytes.has(byte)) return false
  if (byte !== codes.letterU) return true
  const end = Math.min(offset + 6, bytes.length)
  for (let digit = offset + 2; digit < end; digit += 1)
    if (!isHexDigit(bytes[digit] ?? 0)) return true
  return false
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** Reports whether a byte can be a part of a word or number: a letter, a digit, `_`, `.`, `+` or `-`. */
function isWordByte(byte: number): boolean {
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  return (
    isLetter || isDigit(byte) || byte === 0x5f || (byte >= 0x2b && byte <= 0x2e && byte !== 0x2c)
  )
}

const wordPattern = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Reads a number, or one of the words `true`, `false` and `null`. */
function readWord(scanner: Scanner): boolean {
  const { bytes, offset } = scanner
  let end = offset
  while (end < bytes.length && isWordByte(bytes[end] ?? 0)) end += 1
  const word = bytes.toString('latin1', offset, end)
  if (!wordPattern.test(word)) {
    const isCut = end === bytes.length && /^[tfn\d-]/.test(word)
    if (isCut) scanner.offset = end
    return false
  }
  scanner.offset = end
  scanner.expected = expectedAfterValueOf(scanner)
  return true
}
