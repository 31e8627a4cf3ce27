import type { HclExpression, HclItem, HclSyntaxBlock, HclSyntaxBody } from '../hcl/syntax.ts'
import { readLiteralText } from './read-requirements.ts'

/** The member of a JSON object that is a comment. */
export const commentKey = '//'

/**
 * Returns the body that an object of a JSON file stands for, without its comments. The objects in
 * its member `dynamic` become blocks. Returns undefined if keys of the object have interpolations.
 */
export function toBlockBody(items: readonly HclItem[]): HclSyntaxBody | undefined {
  const attributes = new Map<string, HclExpression>()
  const blocks: HclSyntaxBlock[] = []
  for (const { key, value } of items) {
    const name = readLiteralText(key)
    if (name === undefined) return undefined
    if (name === commentKey) continue
    const dynamic = name === 'dynamic' ? toDynamicBlocks(value) : undefined
    if (dynamic === undefined) attributes.set(name, value)
    else blocks.push(...dynamic)
  }
  return { attributes, blocks }
}

/**
 * Returns the blocks that the value of a JSON member stands for: an object, or a list of objects.
 * `type` is the name of the member and of the blocks in the schema. With `isMap`, the keys of the
 * objects are labels of the blocks. Returns undefined for other values.
 */
export function toBlocks(
  type: string,
  value: HclExpression,
  isMap: boolean,
): readonly HclSyntaxBlock[] | undefined {
  if (isMap) return toLabeledBlocks(type, value)
  const objects = listObjects(value)
  const blocks = objects?.map(object => toBlock(type, [], object))
  return isListOfBlocks(blocks) ? blocks : undefined
}

function toLabeledBlocks(
  type: string,
  value: HclExpression,
): readonly HclSyntaxBlock[] | undefined {
  const blocks = listObjects(value)?.flatMap(({ items }) =>
    items.flatMap(({ key, value: inner }) => {
      const label = readLiteralText(key)
      if (label === commentKey) return []
      const objects = label === undefined ? undefined : listObjects(inner)
      return label === undefined || objects === undefined
        ? [undefined]
        : objects.map(object => toBlock(type, [label], object))
    }),
  )
  return isListOfBlocks(blocks) ? blocks : undefined
}

function toDynamicBlocks(value: HclExpression): readonly HclSyntaxBlock[] | undefined {
  return toLabeledBlocks('dynamic', value)?.map(block => {
    const { attributes, blocks } = block.body
    const content = attributes.get('content')
    const iterator = attributes.get('iterator')
    const name = iterator === undefined ? undefined : readLiteralText(iterator)
    const others = [...attributes].filter(([key]) => key !== 'content' && key !== 'iterator')
    return {
      ...block,
      body: {
        attributes: new Map<string, HclExpression>([
          ...others,
          ...(iterator === undefined || name === undefined
            ? []
            : [
                [
                  'iterator',
                  { line: iterator.line, column: iterator.column, kind: 'name', name },
                ] as const,
              ]),
        ]),
        blocks: [
          ...blocks,
          ...(content === undefined ? [] : (toBlocks('content', content, false) ?? [])),
        ],
      },
    }
  })
}

type ObjectExpression = HclExpression & { readonly kind: 'object' }

/** Returns an object itself, or the items of a list of objects. Other values give undefined. */
function listObjects(value: HclExpression): readonly ObjectExpression[] | undefined {
  const items = value.kind === 'tuple' ? value.items : [value]
  const objects = items.filter(item => item.kind === 'object')
  return objects.length === items.length ? objects : undefined
}

function toBlock(
  type: string,
  labels: readonly string[],
  { line, column, items }: ObjectExpression,
): HclSyntaxBlock | undefined {
  const body = toBlockBody(items)
  return body === undefined ? undefined : { line, column, type, labels, body }
}

function isListOfBlocks(
  blocks: readonly (HclSyntaxBlock | undefined)[] | undefined,
): blocks is readonly HclSyntaxBlock[] {
  return blocks !== undefined && blocks.length > 0 && !blocks.includes(undefined)
}
