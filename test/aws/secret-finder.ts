import { gunzipSync } from 'node:zlib'

/** Searches bytes for texts. */
export interface SecretFinder {
  /** Returns the names of the texts that the bytes contain, in any encoding. */
  readonly findIn: (bytes: Uint8Array) => ReadonlySet<string>
}

/** Nested compression: no writer nests deeper. */
const depthMax = 4
/** The first bytes of gzip, also in base64. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08])
const gzipInText = /H4sI[A-Za-z0-9+/]{8,}={0,2}/g

/**
 * Creates a finder of texts by their names. It finds them unencoded, in JSON, in URLs, in hex and
 * in base64 (at any offset), and all of these within gzip data.
 */
export function createSecretFinder(secrets: Readonly<Record<string, string>>): SecretFinder {
  const forms = Object.entries(secrets).map(([name, text]) => ({
    name,
    needles: formsOf(text).map(form => Buffer.from(form)),
  }))
  const searchBytes = (bytes: Buffer, depth: number, found: Set<string>): void => {
    for (const { name, needles } of forms)
      if (needles.some(needle => bytes.includes(needle))) found.add(name)
    if (depth === depthMax) return
    for (const packed of findPacked(bytes)) {
      const inside = unpack(packed)
      if (inside !== undefined) searchBytes(inside, depth + 1, found)
    }
  }
  return {
    findIn: bytes => {
      const found = new Set<string>()
      searchBytes(Buffer.from(bytes), 0, found)
      return found
    },
  }
}

function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const inBase64 = [0, 1, 2].flatMap(shift => {
    const before = Buffer.concat([Buffer.alloc(shift), bytes])
    // The part that does not depend on the bytes before and after it.
    const from = Math.ceil((shift * 4) / 3)
    const whole = before.toString('base64').replace(/=+$/, '')
    const until = Math.floor((before.length * 8) / 6)
    const middle = whole.slice(from, until)
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [
    ...[text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)],
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
    ...inBase64,
  ]
}

function findPacked(bytes: Buffer): readonly Buffer[] {
  const whole = bytes.subarray(0, 3).equals(gzipMagic) ? [bytes] : []
  if (!bytes.includes('H4sI')) return whole
  const texts = [...bytes.toString('latin1').matchAll(gzipInText)]
  return [...whole, ...texts.map(([text]) => Buffer.from(text, 'base64'))]
}

function unpack(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: 512 * 1024 * 1024 })
  } catch {
    return undefined
  }
}
