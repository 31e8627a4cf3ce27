/** JSON with the order of fields and the written form of numbers, which JSON.parse loses. */
export type OrderedJson =
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, OrderedJson])[] }
  | { readonly kind: 'list'; readonly items: readonly OrderedJson[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly written: string }
  | { readonly kind: 'literal'; readonly value: boolean | null }

/** An object of OrderedJson. */
export type OrderedObject = Extract<OrderedJson, { kind: 'object' }>

const blank = /[ \t\r\n]*/y
const textToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literalToken = /true|false|null/y

/** Parses JSON text. Throws a SyntaxError with the position of the first error. */
export function parseOrdered(source: string): OrderedJson {
  let at = 0
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = at
    const found = token.exec(source)?.[0]
    at += found?.length ?? 0
    return found
  }
  const wrong = (): SyntaxError => new SyntaxError(`not JSON at character ${at}`)
  const takeSign = (sign: string): boolean => {
    take(blank)
    if (source[at] !== sign) return false
    at += 1
    return true
  }
  const need = (sign: string): void => {
    if (!takeSign(sign)) throw wrong()
  }
  const text = (): string => {
    take(blank)
    const found = take(textToken)
    if (found === undefined) throw wrong()
    return JSON.parse(found) as string
  }
  const until = <T>(end: string, item: () => T): readonly T[] => {
    const items: T[] = []
    if (takeSign(end)) return items
    do items.push(item())
    while (takeSign(','))
    need(end)
    return items
  }
  const field = (): readonly [string, OrderedJson] => {
    const name = text()
    need(':')
    return [name, value()]
  }
  const value = (): OrderedJson => {
    if (takeSign('{')) return { kind: 'object', fields: until('}', field) }
    if (takeSign('[')) return { kind: 'list', items: until(']', value) }
    if (source[at] === '"') return { kind: 'text', text: text() }
    const written = take(numberToken)
    if (written !== undefined) return { kind: 'number', written }
    const literal = take(literalToken)
    if (literal === undefined) throw wrong()
    return { kind: 'literal', value: JSON.parse(literal) as boolean | null }
  }
  const whole = value()
  take(blank)
  if (at !== source.length) throw wrong()
  return whole
}

/** Writes a text. Go escapes the two line separators, JavaScript does not. */
export type TextWriter = (text: string) => string

/** Texts in state files, without HTML escapes. */
export const writeStateText: TextWriter = text =>
  JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** Texts in the plaintext of secrets, with HTML escapes. */
export const writeEscapedText: TextWriter = text =>
  writeStateText(text).replace(/[<>&]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`)

/**
 * Writes JSON in the form of Go. `step` is the indentation per level; empty means the compact form.
 */
export function writeOrdered(json: OrderedJson, step: string, writeText: TextWriter): string {
  const write = (part: OrderedJson, lead: string): string => {
    const below = step === '' ? '' : lead + step
    const around = (signs: string, lines: readonly string[]): string =>
      lines.length === 0
        ? signs
        : `${signs[0]}${lines.map(line => below + line).join(',')}${lead}${signs[1]}`
    switch (part.kind) {
      case 'object': {
        const colon = step === '' ? ':' : ': '
        const line = ([name, item]: readonly [string, OrderedJson]): string =>
          `${writeText(name)}${colon}${write(item, below)}`
        return around('{}', part.fields.map(line))
      }
      case 'list':
        return around(
          '[]',
          part.items.map(item => write(item, below)),
        )
      case 'text':
        return writeText(part.text)
      case 'number':
        return formatShortest(part.written)
      case 'literal':
        return String(part.value)
    }
  }
  return write(json, step === '' ? '' : '\n')
}

function formatShortest(written: string): string {
  const number = Number(written)
  return Object.is(number, -0) ? '-0' : String(number)
}

/** Returns the field of an object; undefined when it is absent or `json` is no object. */
export function fieldOf(json: OrderedJson | undefined, name: string): OrderedJson | undefined {
  if (json?.kind !== 'object') return undefined
  return json.fields.find(([key]) => key === name)?.[1]
}

/** Returns the text of a field; undefined when there is none. */
export function textOf(json: OrderedJson | undefined, name: string): string | undefined {
  const found = fieldOf(json, name)
  return found?.kind === 'text' ? found.text : undefined
}

/** Returns the items of a list field; empty when it is absent. */
export function itemsOf(json: OrderedJson | undefined, name: string): readonly OrderedJson[] {
  const found = fieldOf(json, name)
  return found?.kind === 'list' ? found.items : []
}

/** Reports whether Go's `omitempty` omits a value. */
export function isEmpty(json: OrderedJson): boolean {
  switch (json.kind) {
    case 'object':
      return json.fields.length === 0
    case 'list':
      return json.items.length === 0
    case 'text':
      return json.text === ''
    case 'number':
      return Number(json.written) === 0
    case 'literal':
      return json.value !== true
  }
}
