import { gunzipSync, zstdDecompressSync } from 'node:zlib'

/** Searches bytes for texts. */
export interface SecretFinder {
  /** Returns the names of the texts that the bytes contain, plain or encoded. */
  readonly findIn: (bytes: Uint8Array) => ReadonlySet<string>
}

/** The maximum nesting of compressed data. No writer of the product nests deeper. */
const depthMax = 4
/** The first bytes of compressed data, with the function that unpacks it. */
const formats = [
  { magic: Buffer.from([0x1f, 0x8b, 0x08]), unpack: gunzipSync },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpack: zstdDecompressSync },
] as const
/** Gzip data in base64. `H4sI` is the base64 form of its first bytes. */
const gzipInText = /H4sI[A-Za-z0-9+/]{8,}={0,2}/g

/**
 * Creates a finder of secrets, which are texts by name. It finds them unencoded, in JSON, in URLs,
 * in hex and in base64 (at any offset), and all of these within gzip and zstd data.
 */
export function createSecretFinder(secrets: Readonly<Record<string, string>>): SecretFinder {
  const searchForms = Object.entries(secrets).map(([name, text]) => ({
    name,
    needles: encodingsOf(text).map(form => Buffer.from(form)),
  }))
  const searchBytes = (bytes: Buffer, depth: number, foundNames: Set<string>): void => {
    for (const { name, needles } of searchForms)
      if (needles.some(needle => bytes.includes(needle))) foundNames.add(name)
    if (depth === depthMax) return
    for (const part of [bytes, ...findBase64Gzip(bytes)]) {
      const unpacked = unpack(part)
      if (unpacked !== undefined) searchBytes(unpacked, depth + 1, foundNames)
    }
  }
  return {
    findIn: bytes => {
      const foundNames = new Set<string>()
      searchBytes(Buffer.from(bytes), 0, foundNames)
      return foundNames
    },
  }
}

function encodingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const inBase64 = [0, 1, 2].flatMap(shift => {
    const shiftedBytes = Buffer.concat([Buffer.alloc(shift), bytes])
    // This part of the base64 text does not depend on the bytes around the secret.
    const start = Math.ceil((shift * 4) / 3)
    const encoded = shiftedBytes.toString('base64').replace(/=+$/, '')
    const end = Math.floor((shiftedBytes.length * 8) / 6)
    const middle = encoded.slice(start, end)
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [
    ...[text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)],
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
    ...inBase64,
  ]
}

/** Returns gzip data that is in the bytes as base64. */
function findBase64Gzip(bytes: Buffer): readonly Buffer[] {
  if (!bytes.includes('H4sI')) return []
  return [...bytes.toString('latin1').matchAll(gzipInText)].map(([text]) =>
    Buffer.from(text, 'base64'),
  )
}

function unpack(bytes: Buffer): Buffer | undefined {
  const format = formats.find(({ magic }) => bytes.subarray(0, magic.length).equals(magic))
  try {
    return format?.unpack(bytes, { maxOutputLength: 512 * 1024 * 1024 })
  } catch {
    return undefined
  }
}
