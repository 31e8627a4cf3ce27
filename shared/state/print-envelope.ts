import { compareUtf8 } from '../values/go-json.ts'
import type { Json, StoredEnvelope } from './stored.ts'

const indent = '    '

/** Characters that a printer collects before it starts a new chunk. */
const chunkChars = 1 << 16

/**
 * Collects printed text in chunks. If each level returned its text, the text would be copied once
 * per level, and the indentation makes it long.
 */
interface ChunkPrinter {
  readonly write: (text: string) => void
  /** Returns the whole text. */
  readonly finish: () => string
}

function createChunkPrinter(): ChunkPrinter {
  const chunks: string[] = []
  let chunk = ''
  return {
    write: text => {
      chunk += text
      if (chunk.length < chunkChars) return
      chunks.push(chunk)
      chunk = ''
    },
    finish: () => chunks.join('') + chunk,
  }
}

/**
 * Returns an envelope as the text that `stack export` prints: four spaces, no HTML escapes, a final
 * newline. Source of the rules: docs/spec/json-encoding.md#encoding-rules.
 */
export function printEnvelope(envelope: StoredEnvelope): string {
  const json: unknown = envelope
  const printer = createChunkPrinter()
  writeIndented(printer, json as Json, '\n')
  printer.write('\n')
  return printer.finish()
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
  if (json === null || typeof json !== 'object') return printScalar(json)
  if (isJsonList(json)) return `[${json.map(printCompactJson).join(',')}]`
  const fields = sortEntries(json).map(
    ([key, item]) => `${printText(key)}:${printCompactJson(item)}`,
  )
  return `{${fields.join(',')}}`
}

/** Writes a value. `lineBreak` is the line break and indentation before the closing bracket. */
function writeIndented(printer: ChunkPrinter, json: Json, lineBreak: string): void {
  if (json === null || typeof json !== 'object') return printer.write(printScalar(json))
  const innerLineBreak = lineBreak + indent
  let separator = ''
  if (isJsonList(json)) {
    if (json.length === 0) return printer.write('[]')
    printer.write('[')
    for (const item of json) {
      printer.write(separator + innerLineBreak)
      writeIndented(printer, item, innerLineBreak)
      separator = ','
    }
    return printer.write(`${lineBreak}]`)
  }
  const fields = sortEntries(json)
  if (fields.length === 0) return printer.write('{}')
  printer.write('{')
  for (const [key, item] of fields) {
    printer.write(`${separator}${innerLineBreak}${printText(key)}: `)
    writeIndented(printer, item, innerLineBreak)
    separator = ','
  }
  printer.write(`${lineBreak}}`)
}

function printScalar(json: null | boolean | number | string): string {
  if (typeof json === 'string') return printText(json)
  return Object.is(json, -0) ? '-0' : JSON.stringify(json)
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
