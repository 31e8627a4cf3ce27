import { compareUtf8 } from '../values/go-json.ts'
import type { Json, StoredEnvelope } from './stored.ts'

const indent = '    '

/**
 * An envelope as `stack export` prints it: four spaces, no HTML escapes, a newline at the end.
 * Source of the rules: docs/spec/json-encoding.md#encoding-rules.
 */
export function printEnvelope(envelope: StoredEnvelope): string {
  const json: unknown = envelope
  return `${print(json as Json, '\n')}\n`
}

/** `lead` is the line break before the closing bracket of this value. */
function print(json: Json, lead: string): string {
  if (typeof json === 'string') return printText(json)
  if (typeof json === 'number') return Object.is(json, -0) ? '-0' : JSON.stringify(json)
  if (json === null || typeof json === 'boolean') return String(json)
  const below = lead + indent
  if (isJsonList(json)) {
    if (json.length === 0) return '[]'
    return `[${json.map(item => below + print(item, below)).join(',')}${lead}]`
  }
  const fields = orderedEntries(json)
  if (fields.length === 0) return '{}'
  const lines = fields.map(([key, item]) => `${below}${printText(key)}: ${print(item, below)}`)
  return `{${lines.join(',')}${lead}}`
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}

/**
 * Fields in their order. JavaScript moves keys that look like numbers to the front; only objects
 * that Go sorts have such keys, so those are sorted again.
 */
function orderedEntries(json: { readonly [key: string]: Json }): readonly [string, Json][] {
  const entries = Object.entries(json).filter(([, item]) => item !== undefined)
  const first = entries[0]?.[0] ?? ''
  return /^\d+$/.test(first) ? entries.sort(([a], [b]) => compareUtf8(a, b)) : entries
}

/** Go replaces lone surrogates and always escapes the two line separators of JavaScript. */
function printText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[\u2028\u2029]/g, separator =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )
}
