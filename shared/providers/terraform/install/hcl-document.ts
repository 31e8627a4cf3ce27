import { isNestedDeeper } from '../../../values/nesting.ts'
import { parseJson } from '../../../values/parse-json.ts'
import { parseHclBody } from '../hcl/parse-hcl-body.ts'
import { createHclErrorFactory, type HclErrorFactory, maxHclDepth } from '../hcl/hcl-token.ts'
import type { HclExpression, HclSyntaxBody } from '../hcl/syntax.ts'

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
  const createError = createHclErrorFactory(file)
  const source = text.replace(/^\u{FEFF}/u, '')
  if (source.trimStart().startsWith('{')) return parseJsonBody(source, createError)
  return readLiteralBody(parseHclBody(source, file, 'free'), createError)
}

function parseJsonBody(text: string, createError: HclErrorFactory): HclBody {
  const json = parseJson(text)
  const place = { line: 1, column: 1 }
  if (!isObject(json)) throw createError(place, 'it is not valid JSON')
  if (isNestedDeeper(json, maxHclDepth)) throw createError(place, 'the nesting is too deep')
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

function readLiteralBody(
  { attributes, blocks }: HclSyntaxBody,
  createError: HclErrorFactory,
): HclBody {
  return {
    attributes: new Map(
      [...attributes].map(([name, value]) => [name, readLiteral(value, createError)]),
    ),
    blocks: blocks.map(({ type, labels, body }) => ({
      type,
      labels,
      body: readLiteralBody(body, createError),
    })),
  }
}

function readLiteral(expression: HclExpression, createError: HclErrorFactory): HclValue {
  switch (expression.kind) {
    case 'null':
      return null
    case 'boolean':
      return expression.value
    case 'number':
      return Number(expression.text)
    case 'template':
      return readText(expression, createError)
    case 'tuple':
      return expression.items.map(item => readLiteral(item, createError))
    case 'object':
      return Object.fromEntries(
        expression.items.map(({ key, value }) => [
          readText(key, createError),
          readLiteral(value, createError),
        ]),
      )
    case 'unary':
      if (expression.operator === '-' && expression.operand.kind === 'number')
        return -Number(expression.operand.text)
      throw createError(expression, 'only literal values are possible here')
    case 'name':
      throw createError(expression, `'${expression.name}' is not expected`)
    default:
      throw createError(expression, 'only literal values are possible here')
  }
}

function readText(expression: HclExpression, createError: HclErrorFactory): string {
  if (expression.kind !== 'template') throw createError(expression, 'a text is expected here')
  return expression.parts
    .map(part => {
      if (typeof part === 'string') return part
      throw createError(part, 'templates are not possible here')
    })
    .join('')
}
