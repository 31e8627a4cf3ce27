import type { Json } from './json.ts'

/**
 * JSON as Pulumi's own writers print it, so that texts that are hashed or compared agree
 * (docs/spec/json-encoding.md#encoding-rules).
 */

/** Keys by their UTF-8 bytes; UTF-16 order differs beyond the basic plane. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x !== y) return toUtf8Rank(x) - toUtf8Rank(y)
  }
  return a.length - b.length
}

/** A code unit as UTF-8 sorts it: surrogates stand for what comes after all others. */
function toUtf8Rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}

/**
 * Compact JSON with sorted keys and HTML characters escaped: the plaintext of secrets. It is put
 * together by hand, because an object of JavaScript has keys that look like numbers first.
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

/** Go replaces lone surrogates, which have no UTF-8. */
function quoteText(text: string): string {
  return escapeForHtml(JSON.stringify(text.toWellFormed()))
}

/** Printed JSON with the characters escaped that Go escapes for HTML. */
export function escapeForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
