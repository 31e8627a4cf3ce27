import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** An item of the model. */
export type ModelItem = Record<string, AttributeValue>

/** The placeholders of a request: `#…` for attribute names, `:…` for values. */
export interface RequestPlaceholders {
  readonly names?: Readonly<Record<string, string>> | undefined
  readonly values?: Readonly<Record<string, AttributeValue>> | undefined
}

/** Returns the error for a request that DynamoDB does not accept. */
export function createModelValidationError(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' })
}

type ItemPredicate = (item: ModelItem) => boolean
type ItemReader = (item: ModelItem) => AttributeValue | undefined
interface Tokens {
  readonly peek: () => string | undefined
  readonly next: () => string
  readonly consumeIf: (token: string) => boolean
  readonly expect: (token: string) => void
}

/** Throws a `ValidationException` for an unused placeholder, as DynamoDB does. */
export function checkUsed(
  placeholders: RequestPlaceholders,
  expressions: readonly (string | undefined)[],
): void {
  const usedNames = new Set(expressions.join(' ').match(/[#:]\w+/g) ?? [])
  for (const name of [
    ...Object.keys(placeholders.names ?? {}),
    ...Object.keys(placeholders.values ?? {}),
  ])
    if (!usedNames.has(name))
      throw createModelValidationError(`${name} is not used in any expression`)
}

/** Reports whether an item meets a condition. An absent item is empty. */
export function evaluateCondition(
  condition: string | undefined,
  placeholders: RequestPlaceholders,
  item: ModelItem,
): boolean {
  if (condition === undefined) return true
  const tokens = tokensOf(condition)
  const result = parseDisjunction(tokens, placeholders)(item)
  if (tokens.peek() !== undefined)
    throw createModelValidationError(`unexpected text after a condition: ${condition}`)
  return result
}

/** Returns the item after an update. */
export function applyUpdate(
  expression: string,
  placeholders: RequestPlaceholders,
  item: ModelItem,
): ModelItem {
  const tokens = tokensOf(expression)
  const after = { ...item }
  let clause = tokens.next()
  while (clause !== '') {
    do applyClause(clause, { tokens, placeholders, before: item, after })
    while (tokens.consumeIf(','))
    clause = tokens.peek() === undefined ? '' : tokens.next()
  }
  return after
}

interface UpdateState {
  readonly tokens: Tokens
  readonly placeholders: RequestPlaceholders
  readonly before: ModelItem
  readonly after: ModelItem
}

function applyClause(clause: string, { tokens, placeholders, before, after }: UpdateState): void {
  const name = nameOf(tokens.next(), placeholders)
  if (clause === 'REMOVE') return void delete after[name]
  if (clause === 'SET') {
    tokens.expect('=')
    const value = parseOperand(tokens, placeholders)(before)
    if (value === undefined) throw createModelValidationError(`nothing is set to ${name}`)
    after[name] = value
    return
  }
  const operandValue = valueOf(tokens.next(), placeholders)
  if (clause !== 'ADD') throw createModelValidationError(`unknown clause ${clause}`)
  const existing = before[name]
  if (operandValue.N !== undefined) {
    if (existing !== undefined && existing.N === undefined)
      throw createModelValidationError(`${name} is not a number`)
    after[name] = { N: String(Number(existing?.N ?? 0) + Number(operandValue.N)) }
  } else if (operandValue.NS !== undefined) {
    if (existing !== undefined && existing.NS === undefined)
      throw createModelValidationError(`${name} is not a set`)
    after[name] = { NS: [...new Set([...(existing?.NS ?? []), ...operandValue.NS])] }
  } else if (operandValue.SS !== undefined) {
    if (existing !== undefined && existing.SS === undefined)
      throw createModelValidationError(`${name} is not a set`)
    after[name] = { SS: [...new Set([...(existing?.SS ?? []), ...operandValue.SS])] }
  } else throw createModelValidationError(`${name} cannot be added to`)
}

function tokensOf(text: string): Tokens {
  const allTokens = text.match(/[#:]\w+|\w+|<=|>=|<>|[(),=<>]/g) ?? []
  let position = 0
  const next = (): string => {
    const token = allTokens[position]
    position += 1
    if (token === undefined)
      throw createModelValidationError(`unexpected end of the expression: ${text}`)
    return token
  }
  const consumeIf = (token: string): boolean => {
    if (allTokens[position] !== token) return false
    position += 1
    return true
  }
  const expect = (token: string): void => {
    if (!consumeIf(token))
      throw createModelValidationError(
        `expected '${token}' in ${text}, found '${allTokens[position]}'`,
      )
  }
  return { peek: () => allTokens[position], next, consumeIf, expect }
}

function parseDisjunction(tokens: Tokens, placeholders: RequestPlaceholders): ItemPredicate {
  const parts = [parseConjunction(tokens, placeholders)]
  while (tokens.consumeIf('OR')) parts.push(parseConjunction(tokens, placeholders))
  return item => parts.some(part => part(item))
}

function parseConjunction(tokens: Tokens, placeholders: RequestPlaceholders): ItemPredicate {
  const parts = [parseNegation(tokens, placeholders)]
  while (tokens.consumeIf('AND')) parts.push(parseNegation(tokens, placeholders))
  return item => parts.every(part => part(item))
}

function parseNegation(tokens: Tokens, placeholders: RequestPlaceholders): ItemPredicate {
  if (!tokens.consumeIf('NOT')) return parsePrimary(tokens, placeholders)
  const inner = parseNegation(tokens, placeholders)
  return item => !inner(item)
}

function parsePrimary(tokens: Tokens, placeholders: RequestPlaceholders): ItemPredicate {
  if (tokens.consumeIf('(')) {
    const inner = parseDisjunction(tokens, placeholders)
    tokens.expect(')')
    return inner
  }
  const functionName = tokens.peek() ?? ''
  if (
    ['attribute_exists', 'attribute_not_exists', 'attribute_type', 'begins_with'].includes(
      functionName,
    )
  )
    return parseCall(tokens, placeholders)
  const left = parseOperand(tokens, placeholders)
  if (tokens.consumeIf('BETWEEN')) {
    const lower = parseOperand(tokens, placeholders)
    tokens.expect('AND')
    const upper = parseOperand(tokens, placeholders)
    return item =>
      compareValues('>=', left(item), lower(item)) && compareValues('<=', left(item), upper(item))
  }
  const comparator = tokens.next()
  const right = parseOperand(tokens, placeholders)
  return item => compareValues(comparator, left(item), right(item))
}

function parseCall(tokens: Tokens, placeholders: RequestPlaceholders): ItemPredicate {
  const functionName = tokens.next()
  tokens.expect('(')
  const name = nameOf(tokens.next(), placeholders)
  const argument = tokens.consumeIf(',') ? valueOf(tokens.next(), placeholders) : undefined
  tokens.expect(')')
  if (functionName === 'attribute_exists') return item => item[name] !== undefined
  if (functionName === 'attribute_not_exists') return item => item[name] === undefined
  if (functionName === 'attribute_type')
    return item => Object.hasOwn(item[name] ?? {}, argument?.S ?? '')
  return item => item[name]?.S?.startsWith(argument?.S ?? '') === true
}

function parseOperand(tokens: Tokens, placeholders: RequestPlaceholders): ItemReader {
  const token = tokens.next()
  if (token.startsWith(':')) {
    const value = valueOf(token, placeholders)
    return () => value
  }
  if (token.startsWith('#')) {
    const name = nameOf(token, placeholders)
    return item => item[name]
  }
  tokens.expect('(')
  const name = nameOf(tokens.next(), placeholders)
  if (token === 'size') {
    tokens.expect(')')
    return item => sizeOf(item[name])
  }
  if (token !== 'if_not_exists') throw createModelValidationError(`unknown function ${token}`)
  tokens.expect(',')
  const readDefault = parseOperand(tokens, placeholders)
  tokens.expect(')')
  return item => item[name] ?? readDefault(item)
}

function sizeOf(value: AttributeValue | undefined): AttributeValue | undefined {
  const size = value?.NS?.length ?? value?.SS?.length ?? value?.S?.length ?? value?.B?.length
  return size === undefined ? undefined : { N: String(size) }
}

/**
 * Compares two values. An absent value fails every comparison, and values of different types
 * satisfy only `<>`.
 */
function compareValues(
  comparator: string,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (left === undefined || right === undefined) return false
  const [leftValue, rightValue] = [plainOf(left), plainOf(right)]
  if (typeof leftValue !== typeof rightValue) return comparator === '<>'
  if (comparator === '=') return leftValue === rightValue
  if (comparator === '<>') return leftValue !== rightValue
  if (comparator === '<') return leftValue < rightValue
  if (comparator === '<=') return leftValue <= rightValue
  if (comparator === '>') return leftValue > rightValue
  if (comparator === '>=') return leftValue >= rightValue
  throw createModelValidationError(`unknown comparator ${comparator}`)
}

function plainOf(value: AttributeValue): string | number | boolean {
  if (value.N !== undefined) return Number(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.S !== undefined) return value.S
  throw createModelValidationError('the model compares only texts, numbers and flags')
}

function nameOf(token: string, { names }: RequestPlaceholders): string {
  const name = token.startsWith('#') ? names?.[token] : token
  if (name === undefined) throw createModelValidationError(`the request has no name ${token}`)
  return name
}

function valueOf(token: string, { values }: RequestPlaceholders): AttributeValue {
  const value = values?.[token]
  if (value === undefined) throw createModelValidationError(`the request has no value ${token}`)
  return value
}
