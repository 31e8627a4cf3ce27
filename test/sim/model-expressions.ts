import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** An item of the model. */
export type ModelItem = Record<string, AttributeValue>

/** The values of a request's placeholders. */
export interface Bound {
  readonly names?: Readonly<Record<string, string>> | undefined
  readonly values?: Readonly<Record<string, AttributeValue>> | undefined
}

/** Returns the error for a request that DynamoDB does not accept. */
export function invalidError(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' })
}

type Holds = (item: ModelItem) => boolean
type Read = (item: ModelItem) => AttributeValue | undefined
interface Tokens {
  readonly peek: () => string | undefined
  readonly next: () => string
  readonly take: (token: string) => boolean
  readonly expect: (token: string) => void
}

/** Refuses names and values that no expression uses, as DynamoDB does. */
export function checkUsed(bound: Bound, expressions: readonly (string | undefined)[]): void {
  const used = new Set(expressions.join(' ').match(/[#:]\w+/g) ?? [])
  for (const name of [...Object.keys(bound.names ?? {}), ...Object.keys(bound.values ?? {})])
    if (!used.has(name)) throw invalidError(`${name} is not used in any expression`)
}

/** Reports whether an item meets a condition. An absent item is empty. */
export function evaluateCondition(
  condition: string | undefined,
  bound: Bound,
  item: ModelItem,
): boolean {
  if (condition === undefined) return true
  const tokens = tokensOf(condition)
  const result = parseDisjunction(tokens, bound)(item)
  if (tokens.peek() !== undefined)
    throw invalidError(`unexpected text after a condition: ${condition}`)
  return result
}

/** Returns the item after an update. */
export function applyUpdate(expression: string, bound: Bound, item: ModelItem): ModelItem {
  const tokens = tokensOf(expression)
  const after = { ...item }
  let clause = tokens.next()
  while (clause !== '') {
    do apply(clause, { tokens, bound, before: item, after })
    while (tokens.take(','))
    clause = tokens.peek() === undefined ? '' : tokens.next()
  }
  return after
}

interface Applying {
  readonly tokens: Tokens
  readonly bound: Bound
  readonly before: ModelItem
  readonly after: ModelItem
}

function apply(clause: string, { tokens, bound, before, after }: Applying): void {
  const name = nameOf(tokens.next(), bound)
  if (clause === 'REMOVE') return void delete after[name]
  if (clause === 'SET') {
    tokens.expect('=')
    const value = parseOperand(tokens, bound)(before)
    if (value === undefined) throw invalidError(`nothing is set to ${name}`)
    after[name] = value
    return
  }
  const operandValue = valueOf(tokens.next(), bound)
  if (clause !== 'ADD') throw invalidError(`unknown clause ${clause}`)
  const existing = before[name]
  if (operandValue.N !== undefined) {
    if (existing !== undefined && existing.N === undefined)
      throw invalidError(`${name} is not a number`)
    after[name] = { N: String(Number(existing?.N ?? 0) + Number(operandValue.N)) }
  } else if (operandValue.NS !== undefined) {
    if (existing !== undefined && existing.NS === undefined)
      throw invalidError(`${name} is not a set`)
    after[name] = { NS: [...new Set([...(existing?.NS ?? []), ...operandValue.NS])] }
  } else if (operandValue.SS !== undefined) {
    if (existing !== undefined && existing.SS === undefined)
      throw invalidError(`${name} is not a set`)
    after[name] = { SS: [...new Set([...(existing?.SS ?? []), ...operandValue.SS])] }
  } else throw invalidError(`${name} cannot be added to`)
}

function tokensOf(text: string): Tokens {
  const all = text.match(/[#:]\w+|\w+|<=|>=|<>|[(),=<>]/g) ?? []
  let at = 0
  const next = (): string => {
    const token = all[at]
    at += 1
    if (token === undefined) throw invalidError(`unexpected end of the expression: ${text}`)
    return token
  }
  const take = (token: string): boolean => {
    if (all[at] !== token) return false
    at += 1
    return true
  }
  const expect = (token: string): void => {
    if (!take(token)) throw invalidError(`expected '${token}' in ${text}, found '${all[at]}'`)
  }
  return { peek: () => all[at], next, take, expect }
}

function parseDisjunction(tokens: Tokens, bound: Bound): Holds {
  const parts = [parseConjunction(tokens, bound)]
  while (tokens.take('OR')) parts.push(parseConjunction(tokens, bound))
  return item => parts.some(part => part(item))
}

function parseConjunction(tokens: Tokens, bound: Bound): Holds {
  const parts = [parseNegation(tokens, bound)]
  while (tokens.take('AND')) parts.push(parseNegation(tokens, bound))
  return item => parts.every(part => part(item))
}

function parseNegation(tokens: Tokens, bound: Bound): Holds {
  if (!tokens.take('NOT')) return parsePrimary(tokens, bound)
  const inner = parseNegation(tokens, bound)
  return item => !inner(item)
}

function parsePrimary(tokens: Tokens, bound: Bound): Holds {
  if (tokens.take('(')) {
    const inner = parseDisjunction(tokens, bound)
    tokens.expect(')')
    return inner
  }
  const word = tokens.peek() ?? ''
  if (['attribute_exists', 'attribute_not_exists', 'attribute_type', 'begins_with'].includes(word))
    return parseCall(tokens, bound)
  const left = parseOperand(tokens, bound)
  if (tokens.take('BETWEEN')) {
    const least = parseOperand(tokens, bound)
    tokens.expect('AND')
    const most = parseOperand(tokens, bound)
    return item =>
      compareValues('>=', left(item), least(item)) && compareValues('<=', left(item), most(item))
  }
  const comparator = tokens.next()
  const right = parseOperand(tokens, bound)
  return item => compareValues(comparator, left(item), right(item))
}

function parseCall(tokens: Tokens, bound: Bound): Holds {
  const word = tokens.next()
  tokens.expect('(')
  const name = nameOf(tokens.next(), bound)
  const second = tokens.take(',') ? valueOf(tokens.next(), bound) : undefined
  tokens.expect(')')
  if (word === 'attribute_exists') return item => item[name] !== undefined
  if (word === 'attribute_not_exists') return item => item[name] === undefined
  if (word === 'attribute_type') return item => Object.hasOwn(item[name] ?? {}, second?.S ?? '')
  return item => item[name]?.S?.startsWith(second?.S ?? '') === true
}

function parseOperand(tokens: Tokens, bound: Bound): Read {
  const token = tokens.next()
  if (token.startsWith(':')) {
    const value = valueOf(token, bound)
    return () => value
  }
  if (token.startsWith('#')) {
    const name = nameOf(token, bound)
    return item => item[name]
  }
  tokens.expect('(')
  const name = nameOf(tokens.next(), bound)
  if (token === 'size') {
    tokens.expect(')')
    return item => sizeOf(item[name])
  }
  if (token !== 'if_not_exists') throw invalidError(`unknown function ${token}`)
  tokens.expect(',')
  const other = parseOperand(tokens, bound)
  tokens.expect(')')
  return item => item[name] ?? other(item)
}

function sizeOf(value: AttributeValue | undefined): AttributeValue | undefined {
  const size = value?.NS?.length ?? value?.SS?.length ?? value?.S?.length ?? value?.B?.length
  return size === undefined ? undefined : { N: String(size) }
}

/** An absent value, or one of another type, never compares. */
function compareValues(
  comparator: string,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (left === undefined || right === undefined) return false
  const [one, other] = [plainOf(left), plainOf(right)]
  if (typeof one !== typeof other) return comparator === '<>'
  if (comparator === '=') return one === other
  if (comparator === '<>') return one !== other
  if (comparator === '<') return one < other
  if (comparator === '<=') return one <= other
  if (comparator === '>') return one > other
  if (comparator === '>=') return one >= other
  throw invalidError(`unknown comparator ${comparator}`)
}

function plainOf(value: AttributeValue): string | number | boolean {
  if (value.N !== undefined) return Number(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.S !== undefined) return value.S
  throw invalidError('the model compares only texts, numbers and flags')
}

function nameOf(token: string, { names }: Bound): string {
  const name = token.startsWith('#') ? names?.[token] : token
  if (name === undefined) throw invalidError(`the request has no name ${token}`)
  return name
}

function valueOf(token: string, { values }: Bound): AttributeValue {
  const value = values?.[token]
  if (value === undefined) throw invalidError(`the request has no value ${token}`)
  return value
}
