import type { HclExpression, HclSyntaxBody } from '../hcl/syntax.ts'
import {
  toElementShape,
  createFreeExpression,
  enterFile,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { printKey, printObject, quoteText } from './print-text.ts'
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
        shape: toElementShape(printed.shape),
      },
    ],
  ])
  return { range: printed.text, isMap: true, scope: { ...scope, iteration } }
}

/** Prints a map. A value of unknown type, which may be a set, is reported. */
function printMap(collection: HclExpression, scope: PrintScope): PrintedExpression {
  const literal = printLiteralSet(collection)
  if (literal !== undefined) return literal
  const printed = printOperand(collection, scope)
  if (printed.shape.kind === 'set')
    return createFreeExpression(`{ for element in ${printed.text} : element => element }`)
  reportPossibleSet(collection, printed, scope)
  return printed
}

/** Prints a set of texts as a map. Returns undefined for any other expression. */
function printLiteralSet(collection: HclExpression): PrintedExpression | undefined {
  const [set] =
    collection.kind === 'call' && collection.name === 'toset' ? collection.args : [undefined]
  if (set?.kind !== 'tuple') return undefined
  const texts = set.items.map(readLiteralText)
  if (!texts.every(text => text !== undefined)) return undefined
  const items = [...new Set(texts)].map(text => ({ name: printKey(text), text: quoteText(text) }))
  return createFreeExpression(printObject(items))
}

/**
 * Reports a repetition over a value that may be a set. In Terraform, the keys of a set are its
 * elements.
 */
export function reportPossibleSet(
  collection: HclExpression,
  { text, shape }: PrintedExpression,
  scope: PrintScope,
): void {
  // A placeholder in the value has a warning of its own.
  if (shape.kind !== 'free' || text.includes('notImplemented')) return
  const { line, column } = collection
  scope.conversion.report({
    file: enterFile(collection, scope).file,
    line,
    column,
    problem: `'${text}' may be a set, whose keys would be positions in the new program`,
    advice: 'If the value is a set, write a map from each element to itself.',
  })
}
