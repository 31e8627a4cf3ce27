import { isUtf8 } from 'node:buffer'

/** The codes of the bytes that JSON uses. */
const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
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
 * Describes why bytes are not a JSON text, as a clause with the subject "it". The clause names the
 * actual format, or the line and the column of the first fault. It contains nothing of the text,
 * which may have secrets. The clause for valid JSON names no place.
 */
export function describeJsonFault(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  const otherFormat = otherFormats.find(([prefix]) => start.startsWith(prefix))
  if (otherFormat !== undefined) return otherFormat[1]
  const first = bytes.findIndex(byte => byte > 0x20)
  if (first === -1) return bytes.includes(0) ? 'it is a binary file' : 'it is empty'
  if (bytes[first] === 0x3c) return 'it is HTML or XML, not JSON'
  if (bytes.includes(0)) return 'it is a binary file'
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
  const before = Buffer.from(bytes.subarray(0, offset))
  const lineStart = before.lastIndexOf(0x0a) + 1
  let line = 1
  for (const byte of before) if (byte === 0x0a) line += 1
  return `line ${line}, column ${before.subarray(lineStart).toString().length + 1}`
}

/** The part that the scanner accepts next. The `first` parts also accept the closing bracket. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'nothing'

/** The location of the scanner. `closers`: the closing bytes of all open lists and objects. */
interface Scanner {
  readonly bytes: Uint8Array
  readonly closers: number[]
  offset: number
  expected: Expected
}

/**
 * Returns the offset of the first byte that no JSON text could have there. For a truncated text it
 * is the number of bytes. Returns undefined for valid JSON.
 */
function findFaultOffset(bytes: Uint8Array): number | undefined {
  const scanner: Scanner = { bytes, closers: [], offset: 0, expected: 'value' }
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
    return readSign(scanner, true, afterValue(scanner))
  }
  if (expected === 'comma')
    return readSign(
      scanner,
      byte === codes.comma,
      scanner.closers.at(-1) === codes.closeBrace ? 'key' : 'value',
    )
  if (expected === 'nothing') return false
  if (byte === codes.quote) {
    const next = expected.endsWith('key') ? 'colon' : afterValue(scanner)
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

function afterValue({ closers }: Scanner): Expected {
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
    const escaped = Buffer.from(bytes.subarray(scanner.offset + 1, scanner.offset + 6)).toString()
    if (!/^(["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(escaped) && scanner.offset + 6 <= bytes.length)
      return false
    scanner.offset += 1
  }
  return false
}

const wordPattern = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Reads a number, or one of the words `true`, `false` and `null`. */
function readWord(scanner: Scanner): boolean {
  const { bytes, offset } = scanner
  let end = offset
  while (end < bytes.length && /[\w.+-]/.test(String.fromCharCode(bytes[end] ?? 0))) end += 1
  const word = Buffer.from(bytes.subarray(offset, end)).toString()
  if (!wordPattern.test(word)) {
    const isCut = end === bytes.length && /^[tfn\d-]/.test(word)
    if (isCut) scanner.offset = end
    return false
  }
  scanner.offset = end
  scanner.expected = afterValue(scanner)
  return true
}
