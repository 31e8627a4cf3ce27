/** JSON with the order of fields and the written form of numbers, which JSON.parse loses. */
export type OrderedJson =
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, OrderedJson])[] }
  | { readonly kind: 'list'; readonly items: readonly OrderedJson[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly numberText: string }
  | { readonly kind: 'literal'; readonly value: boolean | null }

/** An object of OrderedJson. */
export type OrderedObject = Extract<OrderedJson, { kind: 'object' }>

const blank = /[ \t\r\n]*/y
const textToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literalToken = /true|false|null/y

/** Parses JSON text. Throws a SyntaxError with the position of the first error. */
export function parseOrdered(source: string): OrderedJson {
  let position = 0
  const readToken = (token: RegExp): string | undefined => {
    token.lastIndex = position
    const match = token.exec(source)?.[0]
    position += match?.length ?? 0
    return match
  }
  const syntaxError = (): SyntaxError => new SyntaxError(`not JSON at character ${position}`)
  const skipSign = (sign: string): boolean => {
    readToken(blank)
    if (source[position] !== sign) return false
    position += 1
    return true
  }
  const requireSign = (sign: string): void => {
    if (!skipSign(sign)) throw syntaxError()
  }
  const readText = (): string => {
    readToken(blank)
    const token = readToken(textToken)
    if (token === undefined) throw syntaxError()
    return JSON.parse(token) as string
  }
  const readItemsUntil = <T>(end: string, readItem: () => T): readonly T[] => {
    const items: T[] = []
    if (skipSign(end)) return items
    do items.push(readItem())
    while (skipSign(','))
    requireSign(end)
    return items
  }
  const readField = (): readonly [string, OrderedJson] => {
    const name = readText()
    requireSign(':')
    return [name, readValue()]
  }
  const readValue = (): OrderedJson => {
    if (skipSign('{')) return { kind: 'object', fields: readItemsUntil('}', readField) }
    if (skipSign('[')) return { kind: 'list', items: readItemsUntil(']', readValue) }
    if (source[position] === '"') return { kind: 'text', text: readText() }
    const numberText = readToken(numberToken)
    if (numberText !== undefined) return { kind: 'number', numberText }
    const literal = readToken(literalToken)
    if (literal === undefined) throw syntaxError()
    return { kind: 'literal', value: JSON.parse(literal) as boolean | null }
  }
  const json = readValue()
  readToken(blank)
  if (position !== source.length) throw syntaxError()
  return json
}

/** A function that returns a text as JSON. As in Go, it escapes U+2028 and U+2029. */
export type TextWriter = (text: string) => string

/** Writes a text of a state file, without HTML escapes. */
export const writeStateText: TextWriter = text =>
  JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** Writes a text in the plaintext of a secret, with HTML escapes. */
export const writeEscapedText: TextWriter = text =>
  writeStateText(text).replace(/[<>&]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`)

/**
 * Writes JSON in the form of Go. `step` is the indentation per level. An empty `step` means the
 * compact form.
 */
export function writeOrdered(json: OrderedJson, step: string, writeText: TextWriter): string {
  const write = (part: OrderedJson, indentation: string): string => {
    const innerIndentation = step === '' ? '' : indentation + step
    const wrapLines = (signs: string, lines: readonly string[]): string =>
      lines.length === 0
        ? signs
        : `${signs[0]}${lines.map(line => innerIndentation + line).join(',')}${indentation}${signs[1]}`
    switch (part.kind) {
      case 'object': {
        const colon = step === '' ? ':' : ': '
        const writeField = ([name, item]: readonly [string, OrderedJson]): string =>
          `${writeText(name)}${colon}${write(item, innerIndentation)}`
        return wrapLines('{}', part.fields.map(writeField))
      }
      case 'list':
        return wrapLines(
          '[]',
          part.items.map(item => write(item, innerIndentation)),
        )
      case 'text':
        return writeText(part.text)
      case 'number':
        return formatShortest(part.numberText)
      case 'literal':
        return String(part.value)
    }
  }
  return write(json, step === '' ? '' : '\n')
}

function formatShortest(numberText: string): string {
  const number = Number(numberText)
  return Object.is(number, -0) ? '-0' : String(number)
}

/** Returns the field of an object; undefined when it is absent or `json` is no object. */
export function fieldOf(json: OrderedJson | undefined, name: string): OrderedJson | undefined {
  if (json?.kind !== 'object') return undefined
  return json.fields.find(([key]) => key === name)?.[1]
}

/** Returns the text of a field; undefined when there is none. */
export function textOf(json: OrderedJson | undefined, name: string): string | undefined {
  const field = fieldOf(json, name)
  return field?.kind === 'text' ? field.text : undefined
}

/** Returns the items of a list field; empty when it is absent. */
export function itemsOf(json: OrderedJson | undefined, name: string): readonly OrderedJson[] {
  const field = fieldOf(json, name)
  return field?.kind === 'list' ? field.items : []
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
      return Number(json.numberText) === 0
    case 'literal':
      return json.value !== true
  }
}
