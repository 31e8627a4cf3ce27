import type { HclExpression, HclFor } from '../hcl/syntax.ts'
import { createPropertyNames, freeShape } from '../mapping/property-names.ts'
import {
  toElementShape,
  createFreeExpression,
  parenthesize,
  printPlaceholder,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { printCall } from './print-call.ts'
import { printReference } from './print-reference.ts'
import { type PrintedPart, quoteTemplate, printKey, printList, printObject } from './print-text.ts'
import { readLiteralText } from './read-requirements.ts'

/** Prints an expression in the language of the new program, with the new names. */
export function printExpression(expression: HclExpression, scope: PrintScope): PrintedExpression {
  switch (expression.kind) {
    case 'null':
      return createFreeExpression('null')
    case 'boolean':
      return createFreeExpression(String(expression.value))
    case 'number':
      return createFreeExpression(expression.text)
    case 'template':
      return printTemplate(expression.parts, scope)
    case 'name':
    case 'attribute':
    case 'index':
      return printReference(expression, scope)
    case 'element':
      return scope.element ?? printPlaceholder(expression, 'a splat has no list', scope)
    case 'splat':
      return printSplat(expression, scope)
    case 'call':
      return printCall(expression, scope)
    case 'unary':
      return createFreeExpression(
        `${expression.operator}${printOperand(expression.operand, scope).text}`,
      )
    case 'binary': {
      const [left, right] = [expression.left, expression.right].map(side =>
        printOperand(side, scope),
      )
      return createFreeExpression(`${left?.text} ${expression.operator} ${right?.text}`)
    }
    case 'conditional': {
      const condition = printOperand(expression.condition, scope)
      const yes = printOperand(expression.yes, scope)
      const no = printOperand(expression.no, scope)
      // A conditional between a set and an empty list results in a set.
      const takesShapeOfNo = yes.shape.kind === 'free' || no.shape.kind === 'set'
      const shape = takesShapeOfNo ? no.shape : yes.shape
      return { text: `${condition.text} ? ${yes.text} : ${no.text}`, shape }
    }
    case 'parentheses': {
      const inner = printOperand(expression.inner, scope)
      return { ...inner, text: `(${inner.text})` }
    }
    case 'tuple': {
      const items = expression.items.map(item => printOperand(item, scope))
      const shape = { kind: 'tuple', elements: items.map(item => item.shape) } as const
      return { text: printList(items.map(({ text }) => text)), shape }
    }
    case 'object':
      return printObjectExpression(expression.items, scope)
    case 'for':
      return printFor(expression, scope, printOperand)
  }
}

/**
 * Prints a splat. If the text of the steps does not begin with `element`, the splat becomes a `for`
 * expression. For example, the text of a flattened property begins with a bracket.
 */
function printSplat(
  { source, steps }: Extract<HclExpression, { readonly kind: 'splat' }>,
  scope: PrintScope,
): PrintedExpression {
  const list = parenthesize(source, printOperand(source, scope))
  const element = { text: 'element', shape: toElementShape(list.shape) }
  const printed = printOperand(steps, { ...scope, element })
  const [, suffix] = /^element(?=[.[]|$)(.*)$/s.exec(printed.text) ?? []
  return {
    text:
      suffix === undefined
        ? `[for element in ${list.text} : ${printed.text}]`
        : `${list.text}[*]${suffix}`,
    shape: { kind: 'list', element: printed.shape },
  }
}

function printTemplate(
  parts: readonly (string | HclExpression)[],
  scope: PrintScope,
): PrintedExpression {
  const [only, ...others] = parts
  if (only !== undefined && typeof only !== 'string' && others.length === 0)
    return parenthesize(only, printOperand(only, scope))
  const printedParts = parts.map(
    (part): PrintedPart =>
      typeof part === 'string'
        ? { kind: 'text', text: part }
        : { kind: 'interpolation', text: printOperand(part, scope).text },
  )
  return createFreeExpression(quoteTemplate(printedParts))
}

function printObjectExpression(
  items: readonly { readonly key: HclExpression; readonly value: HclExpression }[],
  scope: PrintScope,
): PrintedExpression {
  const printed = items.map(({ key, value }) => ({
    name: printObjectKey(key, scope),
    tfName: readLiteralText(key),
    value: printOperand(value, scope),
  }))
  const names = createPropertyNames(
    printed.flatMap(({ tfName, value }) =>
      tfName === undefined
        ? []
        : [[tfName, { name: tfName, shape: value.shape, isFlattened: false }] as const],
    ),
  )
  const isNamed = printed.every(({ tfName }) => tfName !== undefined)
  return {
    text: printObject(printed.map(({ name, value }) => ({ name, text: value.text }))),
    shape: isNamed ? { kind: 'object', names } : { kind: 'map', element: freeShape },
  }
}

/** Prints the key of an object. A key that is computed is in parentheses. */
export function printObjectKey(key: HclExpression, scope: PrintScope): string {
  const text = readLiteralText(key)
  if (text !== undefined) return printKey(text)
  const printed = printOperand(key, scope).text
  return /^[("]/.test(printed) ? printed : `(${printed})`
}

/**
 * Prints a `for` expression, whose values `printItem` prints. The key of an element of a set is the
 * element itself.
 */
export function printFor(
  loop: HclFor,
  scope: PrintScope,
  printItem: (expression: HclExpression, scope: PrintScope) => PrintedExpression,
): PrintedExpression {
  const collection = printOperand(loop.collection, scope)
  const value = { text: loop.valueName, shape: toElementShape(collection.shape) }
  const variables = new Map([...scope.variables, [loop.valueName, value]])
  const isSet = collection.shape.kind === 'set'
  if (loop.keyName !== undefined)
    variables.set(loop.keyName, isSet ? value : createFreeExpression(loop.keyName))
  const inner = { ...scope, variables }
  const hasKey = loop.keyName !== undefined && !isSet
  const names = hasKey ? `${loop.keyName}, ${loop.valueName}` : loop.valueName
  const header = `for ${names} in ${collection.text} :`
  const condition =
    loop.condition === undefined ? '' : ` if ${printOperand(loop.condition, inner).text}`
  const item = printItem(loop.value, inner)
  if (loop.key === undefined)
    return {
      text: `[${header} ${item.text}${condition}]`,
      shape: { kind: 'list', element: item.shape },
    }
  const key = printOperand(loop.key, inner).text
  const group = loop.isGrouped ? '...' : ''
  return {
    text: `{ ${header} ${key} => ${item.text}${group}${condition} }`,
    shape: {
      kind: 'map',
      element: loop.isGrouped ? { kind: 'list', element: item.shape } : item.shape,
    },
  }
}
