/** JSON that remembers the order of its keys and repeated ones, which `JSON.parse` does not. */
export type Ordered =
  | null
  | boolean
  | number
  | string
  | readonly Ordered[]
  | { readonly fields: readonly Field[] }

/** One key of an object, as it stands in the text. */
export type Field = readonly [key: string, value: Ordered]

/** Whether a value is an object. */
export function isObject(
  value: Ordered | undefined,
): value is { readonly fields: readonly Field[] } {
  return typeof value === 'object' && value !== null && 'fields' in value
}

/** Whether a value is a list. */
export function isList(value: Ordered | undefined): value is readonly Ordered[] {
  return Array.isArray(value)
}

/** The value of a key, undefined where there is none. */
export function field(value: Ordered | undefined, key: string): Ordered | undefined {
  return isObject(value) ? value.fields.find(([name]) => name === key)?.[1] : undefined
}

/** The text of a key, '' where there is none. */
export function textField(value: Ordered | undefined, key: string): string {
  const found = field(value, key)
  return typeof found === 'string' ? found : ''
}

/** The items of a list, none where there is no list. */
export function itemsOf(value: Ordered | undefined): readonly Ordered[] {
  return isList(value) ? value : []
}

/** The fields of an object, none where there is no object. */
export function fieldsOf(value: Ordered | undefined): readonly Field[] {
  return isObject(value) ? value.fields : []
}

const tokens = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}[\],:"]+))\s*/y

/** Reads JSON. Throws SyntaxError. */
export function parseOrdered(text: string): Ordered {
  const found: string[] = []
  tokens.lastIndex = 0
  while (tokens.lastIndex < text.length) {
    const match = tokens.exec(text)
    if (match === null) throw new SyntaxError('this is not JSON')
    found.push(match[1] ?? match[2] ?? match[3] ?? '')
  }
  const reader = { found, at: 0 }
  const value = readValue(reader)
  if (reader.at !== found.length) throw new SyntaxError('something follows the JSON')
  return value
}

interface Reader {
  readonly found: readonly string[]
  at: number
}

function next(reader: Reader): string {
  const token = reader.found[reader.at]
  if (token === undefined) throw new SyntaxError('the JSON ends too soon')
  reader.at += 1
  return token
}

function expectToken(reader: Reader, token: string): void {
  if (next(reader) !== token) throw new SyntaxError(`'${token}' is missing`)
}

function readValue(reader: Reader): Ordered {
  const token = next(reader)
  if (token === '[') return readItems(reader)
  if (token === '{') return { fields: readFields(reader) }
  const scalar: unknown = JSON.parse(token)
  return scalar as Ordered
}

function readItems(reader: Reader): readonly Ordered[] {
  const items: Ordered[] = []
  if (reader.found[reader.at] === ']') {
    reader.at += 1
    return items
  }
  for (;;) {
    items.push(readValue(reader))
    const token = next(reader)
    if (token === ']') return items
    if (token !== ',') throw new SyntaxError("',' is missing")
  }
}

function readFields(reader: Reader): readonly Field[] {
  const fields: Field[] = []
  if (reader.found[reader.at] === '}') {
    reader.at += 1
    return fields
  }
  for (;;) {
    const key: unknown = JSON.parse(next(reader))
    if (typeof key !== 'string') throw new SyntaxError('a key is no text')
    expectToken(reader, ':')
    fields.push([key, readValue(reader)])
    const token = next(reader)
    if (token === '}') return fields
    if (token !== ',') throw new SyntaxError("',' is missing")
  }
}

/** How Go prints: `indent` per level ('' = all on one line), HTML characters escaped or not. */
export interface GoStyle {
  readonly indent: string
  readonly html: boolean
}

/** Prints JSON as Go does. */
export function printAsGo(value: Ordered, style: GoStyle, depth = 0): string {
  if (typeof value === 'string') return printText(value, style)
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value === null || typeof value === 'boolean') return String(value)
  const line = (level: number): string =>
    style.indent === '' ? '' : `\n${style.indent.repeat(level)}`
  const colon = style.indent === '' ? ':' : ': '
  const [open, close, parts] = isList(value)
    ? ['[', ']', value.map(item => printAsGo(item, style, depth + 1))]
    : [
        '{',
        '}',
        fieldsOf(value).map(
          ([key, item]) => printText(key, style) + colon + printAsGo(item, style, depth + 1),
        ),
      ]
  if (parts.length === 0) return open + close
  return `${open}${parts.map(part => line(depth + 1) + part).join(',')}${line(depth)}${close}`
}

function printText(text: string, style: GoStyle): string {
  const escaped = style.html ? /[<>&\u2028\u2029]/g : /[\u2028\u2029]/g
  return JSON.stringify(text.toWellFormed()).replace(
    escaped,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Whether keys stand in the order of their UTF-8 bytes, none twice. */
export function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, at) => {
    const before = keys[at - 1]
    return before === undefined || Buffer.compare(Buffer.from(before), Buffer.from(key)) < 0
  })
}
