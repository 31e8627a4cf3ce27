import { parseJson } from '../../../values/parse-json.ts'
import { createHclRefusal, type HclRefusal, type HclToken, splitHcl } from './hcl-tokens.ts'

/** A literal value in a settings or lock file. */
export type HclValue =
  | string
  | number
  | boolean
  | null
  | readonly HclValue[]
  | { readonly [key: string]: HclValue }

/** The contents of a file or block. */
export interface HclBody {
  readonly attributes: ReadonlyMap<string, HclValue>
  /** In the order of the file. */
  readonly blocks: readonly HclBlock[]
}

/** A block such as `credentials "host" { … }`. */
export interface HclBlock {
  readonly type: string
  readonly labels: readonly string[]
  readonly body: HclBody
}

/**
 * Parses the part of Terraform's language that its settings and lock files use: blocks, and
 * attributes with literal values. A text that begins with `{` is the JSON form, in which every
 * object is a block without labels. Throws TERRAFORM_FILE_INVALID.
 */
export function parseHcl(text: string, file: string): HclBody {
  const refuse = createHclRefusal(file)
  const source = text.replace(/^\u{FEFF}/u, '')
  if (source.trimStart().startsWith('{')) return parseJsonBody(source, refuse)
  const reader = createTokenReader(splitHcl(source, refuse), refuse)
  return readBody(reader, 'end')
}

function parseJsonBody(text: string, refuse: HclRefusal): HclBody {
  const json = parseJson(text)
  if (!isObject(json)) throw refuse(1, 'it is not valid JSON')
  return toBody(json)
}

function toBody(json: object): HclBody {
  const attributes = new Map<string, HclValue>()
  const blocks: HclBlock[] = []
  for (const [key, value] of Object.entries(json) as [string, HclValue][]) {
    const members = Array.isArray(value) ? value : [value]
    if (members.length > 0 && members.every(isObject))
      blocks.push(...members.map(member => ({ type: key, labels: [], body: toBody(member) })))
    else attributes.set(key, value)
  }
  return { attributes, blocks }
}

function isObject(json: unknown): json is object {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

interface TokenReader {
  readonly peek: () => HclToken
  readonly next: () => HclToken
  /** Consumes a punctuation mark if it is the next token. */
  readonly skip: (mark: string) => boolean
  /**
   * Returns the error for a token. Without `problem`, the message says that the token is
   * unexpected.
   */
  readonly refuse: (token: HclToken, problem?: string) => Error
}

function createTokenReader(tokens: readonly HclToken[], refuse: HclRefusal): TokenReader {
  const end: HclToken = { kind: 'end', text: '', line: 0 }
  let position = 0
  const peekToken = (): HclToken => tokens[position] ?? tokens.at(-1) ?? end
  const takeToken = (): HclToken => {
    const token = peekToken()
    position += 1
    return token
  }
  return {
    peek: peekToken,
    next: takeToken,
    skip(mark) {
      const isNext = peekToken().kind === 'mark' && peekToken().text === mark
      if (isNext) position += 1
      return isNext
    },
    refuse: ({ kind, line, text }, problem) =>
      refuse(
        line,
        problem ?? (kind === 'end' ? 'the file ends too early' : `'${text}' is not expected`),
      ),
  }
}

function readBody(reader: TokenReader, ending: '}' | 'end'): HclBody {
  const attributes = new Map<string, HclValue>()
  const blocks: HclBlock[] = []
  for (;;) {
    if (ending === '}' ? reader.skip('}') : reader.peek().kind === 'end')
      return { attributes, blocks }
    const key = reader.next()
    if (key.kind !== 'name' && key.kind !== 'string') throw reader.refuse(key)
    if (reader.skip('=')) {
      if (attributes.has(key.text)) throw reader.refuse(key, `'${key.text}' is set twice`)
      attributes.set(key.text, readValue(reader))
      reader.skip(',')
      continue
    }
    const labels: string[] = []
    while (!reader.skip('{')) {
      const label = reader.next()
      if (label.kind !== 'name' && label.kind !== 'string') throw reader.refuse(label)
      labels.push(label.text)
    }
    blocks.push({ type: key.text, labels, body: readBody(reader, '}') })
  }
}

const keywords: ReadonlyMap<string, HclValue> = new Map<string, HclValue>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function readValue(reader: TokenReader): HclValue {
  const token = reader.next()
  if (token.kind === 'string') return token.text
  if (token.kind === 'number') return Number(token.text)
  const keyword = token.kind === 'name' ? keywords.get(token.text) : undefined
  if (keyword !== undefined) return keyword
  if (token.text === '[') return readList(reader)
  if (token.text === '{') return readObject(reader)
  throw reader.refuse(token)
}

function readList(reader: TokenReader): readonly HclValue[] {
  const items: HclValue[] = []
  while (!reader.skip(']')) {
    items.push(readValue(reader))
    if (!reader.skip(',') && reader.peek().text !== ']') throw reader.refuse(reader.peek())
  }
  return items
}

function readObject(reader: TokenReader): HclValue {
  const members: [string, HclValue][] = []
  while (!reader.skip('}')) {
    const key = reader.next()
    if (key.kind !== 'name' && key.kind !== 'string') throw reader.refuse(key)
    if (!reader.skip('=') && !reader.skip(':')) throw reader.refuse(reader.peek())
    members.push([key.text, readValue(reader)])
    reader.skip(',')
  }
  return Object.fromEntries(members)
}
