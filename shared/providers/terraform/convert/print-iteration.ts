import type { HclExpression, HclSyntaxBody } from '../hcl/syntax.ts'
import {
  elementShapeOf,
  createFreeExpression,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { printKey, printObject } from './print-text.ts'
import { readLiteralText } from './read-requirements.ts'

/** The repetition of a resource or data source, and the scope with its variables. */
export interface PrintedIteration {
  /** The number of objects, or a map with a value for each. Absent: there is one object. */
  readonly range: string | undefined
  readonly isMap: boolean
  readonly scope: PrintScope
}

/**
 * Prints `count` or `for_each`. A set becomes a map from its elements to themselves, so that the
 * objects have the same names as in Terraform.
 */
export function printIteration(
  { attributes }: HclSyntaxBody,
  scope: PrintScope,
  kind: 'resource' | 'data',
): PrintedIteration {
  const isResource = kind === 'resource'
  const count = attributes.get('count')
  if (count !== undefined) {
    const index = createFreeExpression(isResource ? 'range.value' : 'countIndex')
    const iteration = new Map([['count.index', index]])
    const range = printOperand(count, scope).text
    return { range, isMap: false, scope: { ...scope, iteration } }
  }
  const collection = attributes.get('for_each')
  if (collection === undefined) return { range: undefined, isMap: false, scope }
  const printed = printMap(collection, scope)
  const iteration = new Map([
    ['each.key', createFreeExpression(isResource ? 'range.key' : 'eachKey')],
    [
      'each.value',
      {
        text: isResource ? 'range.value' : 'eachValue',
        shape: elementShapeOf(printed.shape),
      },
    ],
  ])
  return { range: printed.text, isMap: true, scope: { ...scope, iteration } }
}

function printMap(collection: HclExpression, scope: PrintScope): PrintedExpression {
  const [set] =
    collection.kind === 'call' && collection.name === 'toset' ? collection.args : [undefined]
  if (set === undefined) return printOperand(collection, scope)
  const texts = set.kind === 'tuple' ? set.items.map(readLiteralText) : [undefined]
  if (set.kind === 'tuple' && texts.every(text => text !== undefined))
    return createFreeExpression(
      printObject(
        set.items.map((item, index) => ({
          name: printKey(texts[index] ?? ''),
          text: printOperand(item, scope).text,
        })),
      ),
    )
  const { text } = printOperand(set, scope)
  return createFreeExpression(`{ for element in ${text} : element => element }`)
}
