import { createHclErrorFactory } from '../hcl/hcl-token.ts'
import { type JsonMember, type JsonNode, parseJsonNode } from '../hcl/parse-json-node.ts'
import { parseExpressionText, parseTemplateText } from '../hcl/parse-text.ts'
import type { HclExpression, HclItem, HclSyntaxBlock, HclSyntaxBody } from '../hcl/syntax.ts'
import { commentKey, toBlockBody } from './block-bodies.ts'

/** The special members of a body. The other ones are attributes with templates. */
interface BodyLayout {
  /** The number of labels of each block. */
  readonly blocks?: ReadonlyMap<string, number>
  /** Attributes whose texts are expressions, such as references. */
  readonly expressions?: readonly string[]
  /** Attributes whose texts are no templates. */
  readonly literals?: readonly string[]
}

const conditions = new Map(Object.entries({ precondition: 0, postcondition: 0 }))
const resourceLayout: BodyLayout = {
  blocks: new Map(Object.entries({ lifecycle: 0, connection: 0, provisioner: 1 })),
  expressions: ['depends_on', 'provider'],
}

/** The layouts of bodies by the type of their block. A body of another type has attributes only. */
const bodyLayouts: Readonly<Record<string, BodyLayout>> = {
  terraform: {
    blocks: new Map(
      Object.entries({ required_providers: 0, backend: 1, cloud: 0, provider_meta: 1 }),
    ),
  },
  variable: {
    blocks: new Map([['validation', 0]]),
    expressions: ['type'],
    literals: ['default', 'description'],
  },
  output: { blocks: conditions, expressions: ['depends_on'], literals: ['description'] },
  resource: resourceLayout,
  data: resourceLayout,
  ephemeral: resourceLayout,
  lifecycle: { blocks: conditions, expressions: ['ignore_changes', 'replace_triggered_by'] },
  import: { expressions: ['to', 'provider'] },
  moved: { expressions: ['from', 'to'] },
}

/**
 * Parses `*.tf.json` into the body that `*.tf` would have. `labelCounts`: the number of labels of
 * each block. Throws TERRAFORM_FILE_INVALID.
 */
export function parseJsonProgram(
  text: string,
  file: string,
  labelCounts: ReadonlyMap<string, number>,
): HclSyntaxBody {
  return readBody(refuseNull(parseJsonNode(text, file), file), { blocks: labelCounts }, file)
}

/** Parses `*.tfvars.json`, whose texts are no templates. Throws TERRAFORM_FILE_INVALID. */
export function parseJsonValues(text: string, file: string): HclSyntaxBody {
  const members = listMembers(refuseNull(parseJsonNode(text, file), file), file)
  const attributes = members.map(({ key, value }) => [key, toLiteral(value)] as const)
  return { attributes: new Map(attributes), blocks: [] }
}

/** Reads a body, which may be a list of objects. */
function readBody(node: JsonNode, layout: BodyLayout, file: string): HclSyntaxBody {
  const attributes: HclItem[] = []
  const blocks: HclSyntaxBlock[] = []
  for (const { key, value, line, column } of listMembers(node, file)) {
    const labelCount = layout.blocks?.get(key)
    if (labelCount !== undefined) {
      blocks.push(...readBlocks(value, { type: key, labels: [] }, { labelCount, file }))
      continue
    }
    const name: HclExpression = { line, column, kind: 'template', parts: [key] }
    if (attributes.some(item => item.key.kind === 'template' && item.key.parts[0] === key))
      throw createHclErrorFactory(file)({ line, column }, `'${key}' is set twice`)
    attributes.push({ key: name, value: readAttribute(key, value, { layout, file }) })
  }
  const body = toBlockBody(attributes) ?? { attributes: new Map(), blocks: [] }
  return { attributes: body.attributes, blocks: [...blocks, ...body.blocks] }
}

function readAttribute(
  key: string,
  value: JsonNode,
  { layout, file }: { readonly layout: BodyLayout; readonly file: string },
): HclExpression {
  if (layout.literals?.includes(key) === true) return toLiteral(value)
  return layout.expressions?.includes(key) === true
    ? toReference(value, file)
    : toExpression(value, file)
}

/**
 * Reads the blocks of a type. Each level of objects above the bodies has one label. Null is no
 * block, at any level.
 */
function readBlocks(
  node: JsonNode,
  { type, labels }: Pick<HclSyntaxBlock, 'type' | 'labels'>,
  { labelCount, file }: { readonly labelCount: number; readonly file: string },
): readonly HclSyntaxBlock[] {
  if (labels.length < labelCount)
    return listMembers(node, file).flatMap(({ key, value }) =>
      readBlocks(value, { type, labels: [...labels, key] }, { labelCount, file }),
    )
  if (node.kind === 'null') return []
  const nodes = node.kind === 'array' ? node.items : [node]
  return nodes.map(({ line, column }, index) => ({
    line,
    column,
    type,
    labels,
    body: readBody(nodes[index] ?? node, bodyLayouts[type] ?? {}, file),
  }))
}

/**
 * Returns the members of an object, or of all objects of a list, without comments. Null has no
 * members.
 */
function listMembers(node: JsonNode, file: string): readonly JsonMember[] {
  switch (node.kind) {
    case 'null':
      return []
    case 'array':
      return node.items.flatMap(item => listMembers(refuseNull(item, file), file))
    case 'object':
      return node.members.filter(({ key }) => key !== commentKey)
    default:
      throw createObjectError(node, file)
  }
}

/** Returns a value unchanged. Throws TERRAFORM_FILE_INVALID for null, as Terraform does here. */
function refuseNull(node: JsonNode, file: string): JsonNode {
  if (node.kind === 'null') throw createObjectError(node, file)
  return node
}

function createObjectError(node: JsonNode, file: string): Error {
  return createHclErrorFactory(file)(node, 'an object is expected')
}

/** Returns the expression of a value whose texts are templates. */
function toExpression(node: JsonNode, file: string): HclExpression {
  return mapTexts(node, (text, place) =>
    parseTemplateText(text, { line: place.line, column: place.column + 1 }, file),
  )
}

function toLiteral(node: JsonNode): HclExpression {
  return mapTexts(node, (text, { line, column }) => {
    const parts = text === '' ? [] : [text]
    return { line, column, kind: 'template', parts }
  })
}

/** Returns the expression of a value whose texts are expressions. Each may also be a template. */
function toReference(node: JsonNode, file: string): HclExpression {
  return mapTexts(node, (text, { line, column }) => {
    const parse = text.startsWith('${') ? parseTemplateText : parseExpressionText
    return parse(text, { line, column: column + 1 }, file)
  })
}

function mapTexts(
  node: JsonNode,
  convert: (text: string, place: JsonNode | JsonMember) => HclExpression,
): HclExpression {
  const { line, column } = node
  switch (node.kind) {
    case 'string':
      return convert(node.text, node)
    case 'number':
      return toNumber(node.text, { line, column })
    case 'array':
      return {
        line,
        column,
        kind: 'tuple',
        items: node.items.map(item => mapTexts(item, convert)),
      }
    case 'object':
      return {
        line,
        column,
        kind: 'object',
        items: node.members.map(member => ({
          key: convert(member.key, member),
          value: mapTexts(member.value, convert),
        })),
      }
    default:
      return node
  }
}

/** Returns a number. Terraform's language writes a negative one with an operator. */
function toNumber(
  text: string,
  place: { readonly line: number; readonly column: number },
): HclExpression {
  if (!text.startsWith('-')) return { ...place, kind: 'number', text }
  const operand: HclExpression = { ...place, kind: 'number', text: text.slice(1) }
  return { ...place, kind: 'unary', operator: '-', operand }
}
