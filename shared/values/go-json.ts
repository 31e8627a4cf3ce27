import type { Json } from './json.ts'

/** Compares keys by their UTF-8 bytes. The order by UTF-16 units differs above U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return toUtf8Rank(x) - toUtf8Rank(y)
  }
  return a.length - b.length
}

/**
 * Returns the UTF-8 rank of a code unit. Surrogates belong to characters that sort after all
 * others.
 */
function toUtf8Rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}

/**
 * Formats compact JSON with sorted keys and escaped HTML characters, as in the plaintext of
 * secrets. The text is the same as that of Pulumi's writers, because such texts are hashed and
 * compared (docs/spec/json-encoding.md#encoding-rules). The function concatenates text, because
 * JavaScript objects put numeric keys first.
 */
export function formatGoJson(json: Json): string {
  if (typeof json === 'string') return quoteText(json)
  if (typeof json === 'number') return Object.is(json, -0) ? '-0' : JSON.stringify(json)
  if (json === null || typeof json === 'boolean') return String(json)
  if (isJsonList(json)) return `[${json.map(formatGoJson).join(',')}]`
  const fields = Object.entries(json).sort(([a], [b]) => compareUtf8(a, b))
  return `{${fields.map(([key, item]) => `${quoteText(key)}:${formatGoJson(item)}`).join(',')}}`
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}

/**
 * Formats a string as JSON. Lone surrogates have no UTF-8 encoding, so they are replaced, as Go
 * does.
 */
function quoteText(text: string): string {
  return escapeForHtml(JSON.stringify(text.toWellFormed()))
}

/** Escapes the characters in printed JSON that Go escapes for HTML. */
export function escapeForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
