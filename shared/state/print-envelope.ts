import { compareUtf8 } from '../values/go-json.ts'
import type { Json, StoredEnvelope } from './stored.ts'

const indent = '    '

/**
 * Returns an envelope as the text that `stack export` prints: four spaces, no HTML escapes, a final
 * newline. Source of the rules: docs/spec/json-encoding.md#encoding-rules.
 */
export function printEnvelope(envelope: StoredEnvelope): string {
  const json: unknown = envelope
  return `${printValue(json as Json, '\n')}\n`
}

/**
 * Returns the bytes under which a state is stored as a blob. Unlike `JSON.stringify`, they keep a
 * negative zero.
 */
export function printStateBlob(envelope: StoredEnvelope): Uint8Array {
  const json: unknown = envelope
  return new TextEncoder().encode(printCompactJson(json as Json))
}

/** Returns JSON as Pulumi writes it into checkpoints: in one line, without HTML escapes. */
export function printCompactJson(json: Json): string {
  if (typeof json === 'string') return printText(json)
  if (typeof json === 'number') return Object.is(json, -0) ? '-0' : JSON.stringify(json)
  if (json === null || typeof json === 'boolean') return String(json)
  if (isJsonList(json)) return `[${json.map(printCompactJson).join(',')}]`
  const fields = sortEntries(json).map(
    ([key, item]) => `${printText(key)}:${printCompactJson(item)}`,
  )
  return `{${fields.join(',')}}`
}

/** Formats a value. `lineBreak` is the line break and indentation before the closing bracket. */
function printValue(json: Json, lineBreak: string): string {
  if (typeof json === 'string') return printText(json)
  if (typeof json === 'number') return Object.is(json, -0) ? '-0' : JSON.stringify(json)
  if (json === null || typeof json === 'boolean') return String(json)
  const innerLineBreak = lineBreak + indent
  if (isJsonList(json)) {
    if (json.length === 0) return '[]'
    return `[${json.map(item => innerLineBreak + printValue(item, innerLineBreak)).join(',')}${lineBreak}]`
  }
  const fields = sortEntries(json)
  if (fields.length === 0) return '{}'
  const lines = fields.map(
    ([key, item]) => `${innerLineBreak}${printText(key)}: ${printValue(item, innerLineBreak)}`,
  )
  return `{${lines.join(',')}${lineBreak}}`
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}

/**
 * Returns the fields in order. JavaScript moves numeric keys to the front. Only objects that Go
 * sorts contain numeric keys, so such an object is sorted again.
 */
function sortEntries(json: { readonly [key: string]: Json }): readonly [string, Json][] {
  const entries = Object.entries(json).filter(([, item]) => item !== undefined)
  const firstKey = entries[0]?.[0] ?? ''
  return /^\d+$/.test(firstKey) ? entries.sort(([a], [b]) => compareUtf8(a, b)) : entries
}

/**
 * Quotes a text like Go, which replaces lone surrogates and always escapes JavaScript's two line
 * separators.
 */
function printText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[\u2028\u2029]/g, separator =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )
}
