import type { HclExpression } from '../hcl/syntax.ts'
import { freeShape, type ValueShape } from '../mapping/property-names.ts'
import {
  toElementShape,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { printFor, printObjectKey } from './print-expression.ts'
import { printKey, printList, printObject } from './print-text.ts'
import { readLiteralText } from './read-requirements.ts'

/**
 * Prints the value of a property. The keys of its objects get the names of the schema. A value that
 * only refers to another part of the program is reported if keys within it may need other names.
 */
export function printValue(
  expression: HclExpression,
  shape: ValueShape,
  scope: PrintScope,
): PrintedExpression {
  const printAs =
    (inner: ValueShape) =>
    (value: HclExpression, innerScope: PrintScope): PrintedExpression =>
      printValue(value, inner, innerScope)
  switch (expression.kind) {
    case 'parentheses':
      return { text: `(${printValue(expression.inner, shape, scope).text})`, shape }
    case 'conditional': {
      const condition = printOperand(expression.condition, scope).text
      const yes = printValue(expression.yes, shape, scope).text
      return {
        text: `${condition} ? ${yes} : ${printValue(expression.no, shape, scope).text}`,
        shape,
      }
    }
    case 'tuple':
      return { text: printList(printItems(expression.items, shape, scope)), shape }
    case 'object':
      return { text: printItemsOfObject(expression.items, shape, scope), shape }
    case 'for':
      return printFor(expression, scope, printAs(toElementShape(shape)))
    default: {
      const printed = printOperand(expression, scope)
      if (mayHaveParts(expression) && mayNamesDiffer(printed.shape, shape))
        scope.conversion.report({
          file: scope.file,
          line: expression.line,
          column: expression.column,
          problem: `the names within '${printed.text}' may differ in the new program`,
          advice: 'Give the keys of this value the names of the properties.',
        })
      return printed
    }
  }
}

/** Reports whether a value of the expression can be an object or a list. */
function mayHaveParts({ kind }: HclExpression): boolean {
  return ['name', 'attribute', 'index', 'splat', 'call'].includes(kind)
}

function printItems(
  items: readonly HclExpression[],
  shape: ValueShape,
  scope: PrintScope,
): readonly string[] {
  return items.map((item, index) => {
    const inner =
      shape.kind === 'tuple' ? (shape.elements[index] ?? freeShape) : toElementShape(shape)
    return printValue(item, inner, scope).text
  })
}

function printItemsOfObject(
  items: readonly { readonly key: HclExpression; readonly value: HclExpression }[],
  shape: ValueShape,
  scope: PrintScope,
): string {
  return printObject(
    items.map(({ key, value }) => {
      const tfName = readLiteralText(key)
      const property =
        shape.kind === 'object' && tfName !== undefined
          ? shape.names.toPulumi.get(tfName)
          : undefined
      return {
        name: property === undefined ? printObjectKey(key, scope) : printKey(property.name),
        text: printValue(value, property?.shape ?? toElementShape(shape), scope).text,
      }
    }),
  )
}

/** Reports whether a part of a printed value may have another name than the property requires. */
function mayNamesDiffer(printed: ValueShape, wanted: ValueShape): boolean {
  if (printed.kind === 'free') return hasOtherNames(wanted)
  if (printed.kind === 'tuple')
    return printed.elements.some(element => mayNamesDiffer(element, toElementShape(wanted)))
  if (printed.kind !== 'object')
    return wanted.kind === 'object'
      ? hasOtherNames(wanted)
      : mayNamesDiffer(printed.element, toElementShape(wanted))
  return [...printed.names.toPulumi].some(([tfName, { name, isFlattened, shape }]) => {
    if (wanted.kind !== 'object') return mayNamesDiffer(shape, toElementShape(wanted))
    const property = wanted.names.toPulumi.get(tfName)
    if (property === undefined) return false
    const isSameName = property.name === name && property.isFlattened === isFlattened
    return !isSameName || mayNamesDiffer(shape, property.shape)
  })
}

/** Reports whether a part of a shape has another name than in Terraform. */
function hasOtherNames(shape: ValueShape): boolean {
  switch (shape.kind) {
    case 'free':
      return false
    case 'object':
      return [...shape.names.toPulumi].some(
        ([tfName, property]) =>
          tfName !== property.name || property.isFlattened || hasOtherNames(property.shape),
      )
    case 'tuple':
      return shape.elements.some(hasOtherNames)
    default:
      return hasOtherNames(shape.element)
  }
}
