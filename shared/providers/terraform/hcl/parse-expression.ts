import { parseBracket, parseBrace } from './parse-collection.ts'
import { parseTemplate } from './parse-template.ts'
import { isNestedDeeper } from '../../../values/nesting.ts'
import type { HclErrorFactory, HclToken } from './hcl-token.ts'
import type { HclExpression } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'

/** The binary operators. Those of a later row bind more tightly. */
const operators: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]

/** Parses one expression. Throws TERRAFORM_FILE_INVALID. */
export function parseExpression(reader: TokenReader): HclExpression {
  return reader.nest(() => {
    const condition = parseBinary(reader, 0)
    if (!reader.skip('?')) return condition
    const { line, column } = condition
    const yes = parseExpression(reader)
    reader.expect(':')
    const no = parseExpression(reader)
    return { line, column, kind: 'conditional', condition, yes, no }
  })
}

function parseBinary(reader: TokenReader, row: number): HclExpression {
  const symbols = operators[row]
  if (symbols === undefined) return parseUnary(reader)
  let left = parseBinary(reader, row + 1)
  for (;;) {
    const { kind, text: operator } = reader.peek()
    if (kind !== 'mark' || !symbols.includes(operator)) return left
    reader.next()
    const right = parseBinary(reader, row + 1)
    left = { line: left.line, column: left.column, kind: 'binary', operator, left, right }
  }
}

function parseUnary(reader: TokenReader): HclExpression {
  const { line, column, text: operator } = reader.peek()
  if (!reader.skip('-') && !reader.skip('!')) return parseSteps(reader, parseTerm(reader))
  const operand = reader.nest(() => parseUnary(reader))
  return { line, column, kind: 'unary', operator, operand }
}

function parseTerm(reader: TokenReader): HclExpression {
  const token = reader.next()
  const { line, column, text } = token
  switch (token.kind) {
    case 'number':
      return { line, column, kind: 'number', text }
    case 'template':
      return parseTemplate(token, reader, parseExpression)
    case 'name':
      return parseName(token, reader)
    case 'mark':
      if (text === '[') return parseBracket(token, reader, parseExpression)
      if (text === '{') return parseBrace(token, reader, parseExpression)
      if (text === '(') {
        const inner = reader.withNewlines('ignored', () => {
          const expression = parseExpression(reader)
          reader.expect(')')
          return expression
        })
        return { line, column, kind: 'parentheses', inner }
      }
      throw reader.createTokenError(token)
    default:
      throw reader.createTokenError(token)
  }
}

function parseName({ line, column, text }: HclToken, reader: TokenReader): HclExpression {
  if (text === 'null') return { line, column, kind: 'null' }
  if (text === 'true' || text === 'false')
    return { line, column, kind: 'boolean', value: text === 'true' }
  let name = text
  while (reader.skip('::')) {
    const part = reader.next()
    if (part.kind !== 'name') throw reader.createTokenError(part)
    name += `::${part.text}`
  }
  if (reader.skip('(')) return { line, column, kind: 'call', name, ...parseArguments(reader) }
  if (name !== text) throw reader.createTokenError(reader.peek())
  return { line, column, kind: 'name', name }
}

function parseArguments(reader: TokenReader): {
  readonly args: readonly HclExpression[]
  readonly isExpanded: boolean
} {
  return reader.withNewlines('ignored', () => {
    const args: HclExpression[] = []
    while (!reader.skip(')')) {
      args.push(parseExpression(reader))
      if (reader.skip('...')) {
        reader.skip(',')
        reader.expect(')')
        return { args, isExpanded: true }
      }
      if (!reader.skip(',') && !reader.isNext(')')) throw reader.createTokenError(reader.peek())
    }
    return { args, isExpanded: false }
  })
}

/**
 * Maximum number of levels of the tree of an expression. Each operator and each step of a reference
 * adds a level, and functions that print expressions recurse at each level.
 */
const treeDepthMax = 800

/**
 * Parses one expression that is not a part of another one. Throws TERRAFORM_FILE_INVALID, also for
 * a tree with too many levels.
 */
export function parseWholeExpression(reader: TokenReader): HclExpression {
  const expression = parseExpression(reader)
  requireShallowTree(expression, reader.createPlaceError)
  return expression
}

/** Throws TERRAFORM_FILE_INVALID for an expression with too many levels. */
export function requireShallowTree(
  expression: HclExpression,
  createPlaceError: HclErrorFactory,
): void {
  if (isNestedDeeper(expression, treeDepthMax))
    throw createPlaceError(expression, 'the expression has too many operators or parts')
}

/** Maximum number of steps of one reference. */
const stepsMax = 1000

/**
 * Parses attributes, indexes and splats after an expression. Only attributes apply to the elements
 * of a splat `.*`. An index after them applies to the whole list.
 */
function parseSteps(reader: TokenReader, start: HclExpression): HclExpression {
  const { line, column } = start
  const element: HclExpression = { line, column, kind: 'element' }
  let source = start
  // The list of a splat `.*` whose attributes are being parsed.
  let list: HclExpression | undefined
  for (let count = 0; ; count += 1) {
    if (count > stepsMax)
      throw reader.createTokenError(reader.peek(), 'the reference has too many parts')
    if (reader.isNext('.')) {
      const dot = reader.next()
      if (list === undefined && reader.skip('*')) {
        list = source
        source = element
      } else source = parseAttribute(reader, source, dot)
      continue
    }
    if (list !== undefined) source = { line, column, kind: 'splat', source: list, steps: source }
    list = undefined
    if (!reader.isNext('[')) return source
    reader.next()
    const key = parseIndex(reader)
    if (key === undefined) {
      const steps = reader.nest(() => parseSteps(reader, element))
      return { line, column, kind: 'splat', source, steps }
    }
    source = { line, column, kind: 'index', source, key }
  }
}

/** Parses the key of an index. Returns undefined for `[*]`. */
function parseIndex(reader: TokenReader): HclExpression | undefined {
  return reader.withNewlines('ignored', () => {
    const key = reader.skip('*') ? undefined : parseExpression(reader)
    reader.expect(']')
    return key
  })
}

function parseAttribute(reader: TokenReader, source: HclExpression, dot: HclToken): HclExpression {
  const token = reader.next()
  const { line, column } = source
  if (token.kind === 'name') return { line, column, kind: 'attribute', source, name: token.text }
  if (token.kind !== 'number' || !/^\d+$/.test(token.text)) throw reader.createTokenError(dot)
  const key: HclExpression = { line, column, kind: 'number', text: token.text }
  return { line, column, kind: 'index', source, key }
}
