import { gunzipSync } from 'node:zlib'

/** Looks for texts in bytes. */
export interface SecretFinder {
  /** The names of the texts that are in them, in whatever form they may be written. */
  readonly findIn: (bytes: Uint8Array) => ReadonlySet<string>
}

/** Packed in packed in packed: what is deeper nobody wrote. */
const depthMax = 4
/** Gzip by its first bytes, also as base64. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08])
const gzipInText = /H4sI[A-Za-z0-9+/]{8,}={0,2}/g

/**
 * A finder of texts by their names: as they are, in JSON, in addresses, in hex and in base64 (also
 * in the middle of one), and all of these within what was packed with gzip.
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
    // What does not depend on the bytes before and after it.
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
