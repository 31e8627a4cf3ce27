import { compareUtf8 } from '../values/go-json.ts'
import type { Json, StoredEnvelope } from './stored.ts'
import { createByteSlabs } from './stream/byte-slabs.ts'
import { createPauser } from './stream/pause.ts'

const indent = '    '

/** Minimum number of characters of a printed chunk, except for the last one. */
const chunkChars = 1 << 16

/** Levels above a resource: the envelope, the deployment, and the list of resources. */
const levelsAboveResource = 3

/** The form of printed JSON: in one line, or indented by four spaces. */
type Layout = 'compact' | 'indented'

/**
 * Returns an envelope as the text that `stack export` prints: indented by four spaces, without HTML
 * escapes, and with a final newline. Source of the rules:
 * docs/spec/json-encoding.md#encoding-rules.
 */
export async function printEnvelope(envelope: StoredEnvelope): Promise<string> {
  const chunks: string[] = []
  for await (const chunk of printEnvelopeInChunks(envelope)) chunks.push(chunk)
  return chunks.join('')
}

/** Prints the text of `printEnvelope` in chunks, so that a large state is never one text. */
export async function* printEnvelopeInChunks(envelope: StoredEnvelope): AsyncGenerator<string> {
  yield* printInChunks(envelope, 'indented')
  yield '\n'
}

/**
 * Returns the bytes of the blob that stores a state. Unlike the result of `JSON.stringify`, they
 * keep a negative zero. Other work of the process continues meanwhile.
 */
export async function printStateBlob(envelope: StoredEnvelope): Promise<Uint8Array> {
  const slabs = createByteSlabs()
  for await (const text of printInChunks(envelope, 'compact')) slabs.add(Buffer.from(text))
  return slabs.join()
}

async function* printInChunks(envelope: StoredEnvelope, layout: Layout): AsyncGenerator<string> {
  const pauser = createPauser()
  const json: unknown = envelope
  let chunk = ''
  for (const text of printParts(json as Json, layout, '\n', levelsAboveResource)) {
    chunk += text
    if (chunk.length < chunkChars) continue
    yield chunk
    await pauser.addBytes(chunk.length)
    chunk = ''
  }
  yield chunk
}

/**
 * Prints JSON in parts. `levels`: the number of levels that are divided into parts. `lineBreak`:
 * the line break and indentation before the closing bracket.
 */
function* printParts(
  json: Json,
  layout: Layout,
  lineBreak: string,
  levels: number,
): Generator<string> {
  if (levels === 0 || json === null || typeof json !== 'object')
    return yield layout === 'compact' ? printCompactJson(json) : printIndented(json, lineBreak)
  const isList = isJsonList(json)
  const items = isList ? json.map(item => ['', item] as const) : sortEntries(json)
  const [open, close] = isList ? '[]' : '{}'
  if (items.length === 0) return yield `${open}${close}`
  const isCompact = layout === 'compact'
  const innerLineBreak = isCompact ? '' : lineBreak + indent
  let start = `${open}${innerLineBreak}`
  for (const [key, item] of items) {
    yield isList ? start : `${start}${printText(key)}${isCompact ? ':' : ': '}`
    yield* printParts(item, layout, innerLineBreak, levels - 1)
    start = `,${innerLineBreak}`
  }
  yield `${isCompact ? '' : lineBreak}${close}`
}

/** Returns JSON as Pulumi writes it into checkpoints: in one line, without HTML escapes. */
export function printCompactJson(json: Json): string {
  return tryStringify(json) ?? printCompactExactly(json)
}

/**
 * Prints JSON by `JSON.stringify`, which is fast and leaves little garbage. Returns undefined if
 * its text would differ from that of Pulumi.
 */
function tryStringify(json: Json, indentation = ''): string | undefined {
  if (differsFromStringify(json)) return undefined
  const text = JSON.stringify(json, null, indentation)
  // `JSON.stringify` escapes lone surrogates, and does not escape JavaScript's line separators.
  return /[\u2028\u2029]|\\ud[89a-f]/.test(text) ? undefined : text
}

/**
 * Reports whether a value contains a negative zero, or a numeric key, which JavaScript may have
 * moved. JavaScript puts numeric keys first, so only the first key of an object is tested.
 */
function differsFromStringify(json: Json): boolean {
  if (typeof json === 'number') return Object.is(json, -0)
  if (json === null || typeof json !== 'object') return false
  if (isJsonList(json)) return json.some(differsFromStringify)
  let isFirstKey = true
  for (const key in json) {
    if (isFirstKey && isIndexKey(key)) return true
    isFirstKey = false
    if (differsFromStringify(json[key] ?? null)) return true
  }
  return false
}

function printCompactExactly(json: Json): string {
  if (json === null || typeof json !== 'object') return printScalar(json)
  if (isJsonList(json)) return `[${json.map(printCompactExactly).join(',')}]`
  const fields = sortEntries(json).map(
    ([key, item]) => `${printText(key)}:${printCompactExactly(item)}`,
  )
  return `{${fields.join(',')}}`
}

/**
 * Returns indented JSON. If `JSON.stringify` cannot print it exactly, all levels add their text to
 * one list of parts.
 */
function printIndented(json: Json, lineBreak: string): string {
  // JSON escapes line breaks within texts, so all line breaks are between fields or items.
  const text = tryStringify(json, indent)
  if (text !== undefined) return text.replaceAll('\n', lineBreak)
  const parts: string[] = []
  writeIndented(parts, json, lineBreak)
  return parts.join('')
}

function writeIndented(parts: string[], json: Json, lineBreak: string): void {
  if (json === null || typeof json !== 'object') return void parts.push(printScalar(json))
  const innerLineBreak = lineBreak + indent
  let separator = ''
  if (isJsonList(json)) {
    if (json.length === 0) return void parts.push('[]')
    parts.push('[')
    for (const item of json) {
      parts.push(separator, innerLineBreak)
      writeIndented(parts, item, innerLineBreak)
      separator = ','
    }
    return void parts.push(lineBreak, ']')
  }
  const fields = sortEntries(json)
  if (fields.length === 0) return void parts.push('{}')
  parts.push('{')
  for (const [key, item] of fields) {
    parts.push(separator, innerLineBreak, printText(key), ': ')
    writeIndented(parts, item, innerLineBreak)
    separator = ','
  }
  parts.push(lineBreak, '}')
}

function printScalar(json: null | boolean | number | string): string {
  if (typeof json === 'string') return printText(json)
  return Object.is(json, -0) ? '-0' : JSON.stringify(json)
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}

/**
 * Returns the fields in the order in which Go writes them. JavaScript moves numeric keys to the
 * front. Only objects that Go sorts contain numeric keys, so such an object is sorted again.
 */
function sortEntries(json: { readonly [key: string]: Json }): readonly [string, Json][] {
  const entries = Object.entries(json).filter(([, item]) => item !== undefined)
  return isIndexKey(entries[0]?.[0] ?? '') ? entries.sort(([a], [b]) => compareUtf8(a, b)) : entries
}

function isIndexKey(key: string): boolean {
  return /^\d+$/.test(key)
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
