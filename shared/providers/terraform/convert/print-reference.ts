import type { HclExpression } from '../hcl/syntax.ts'
import { freeShape } from '../mapping/property-names.ts'
import {
  toElementShape,
  createFreeExpression,
  parenthesize,
  printPlaceholder,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { quoteText } from './print-text.ts'
import { readLiteralText } from './read-requirements.ts'

type Reference = Extract<HclExpression, { readonly kind: 'name' | 'attribute' | 'index' }>

/** Prints a reference to a variable, a resource or a part of one, with the new names. */
export function printReference(expression: Reference, scope: PrintScope): PrintedExpression {
  if (expression.kind === 'name')
    return (
      scope.variables.get(expression.name) ??
      printPlaceholder(expression, `'${expression.name}' has no meaning here`, scope)
    )
  const root = printRoot(expression, scope)
  if (root !== undefined) return root
  const source = parenthesize(expression.source, scope.conversion.print(expression.source, scope))
  if (expression.kind === 'attribute') return printAttribute(source, expression.name)
  const name = readLiteralText(expression.key)
  if (name !== undefined && source.shape.kind === 'object') return printAttribute(source, name)
  const { key } = expression
  if (source.isFlattened === true && key.kind === 'number')
    return { text: source.text, shape: toElementShape(source.shape) }
  const position = printOperand(key, scope)
  const shape =
    source.shape.kind === 'tuple' && key.kind === 'number'
      ? (source.shape.elements[Number(key.text)] ?? freeShape)
      : toElementShape(source.shape)
  return { text: `${source.text}[${position.text}]`, shape }
}

function printAttribute(source: PrintedExpression, name: string): PrintedExpression {
  const { shape } = source
  const property = shape.kind === 'object' ? shape.names.toPulumi.get(name) : undefined
  const printStep = (text: string): string =>
    /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(text) ? `.${text}` : `[${quoteText(text)}]`
  if (property === undefined)
    return {
      text: `${source.text}${printStep(name)}`,
      shape: shape.kind === 'map' ? shape.element : freeShape,
    }
  return {
    text: `${source.text}${printStep(property.name)}`,
    shape: property.shape,
    isFlattened: property.isFlattened,
  }
}

/**
 * Prints a reference that is the address of a part of the program: two names, or three for a data
 * source. Returns undefined for any other reference, such as a property of that part.
 */
function printRoot(expression: Reference, scope: PrintScope): PrintedExpression | undefined {
  if (expression.kind !== 'attribute') return undefined
  const { source, name } = expression
  if (source.kind === 'attribute')
    return source.source.kind === 'name' && source.source.name === 'data'
      ? printAddress(expression, `data.${source.name}.${name}`, scope)
      : undefined
  if (source.kind !== 'name' || scope.variables.has(source.name)) return undefined
  const iterated = scope.iteration?.get(`${source.name}.${name}`)
  if (iterated !== undefined) return iterated
  switch (source.name) {
    case 'data':
      return undefined
    case 'var':
    case 'local':
      return printAddress(expression, `${source.name}.${name}`, scope)
    case 'each':
    case 'count':
      return printPlaceholder(expression, `'${source.name}.${name}' has no value here`, scope)
    case 'path':
      return createFreeExpression(name === 'cwd' ? 'cwd()' : 'rootDirectory()')
    case 'terraform':
      return name === 'workspace'
        ? createFreeExpression('stack()')
        : printPlaceholder(expression, `'terraform.${name}' has no equivalent`, scope)
    case 'module':
    case 'self':
      return printPlaceholder(expression, `'${source.name}.${name}' was not converted`, scope)
    default:
      return printAddress(expression, `${source.name}.${name}`, scope)
  }
}

function printAddress(
  expression: HclExpression,
  address: string,
  scope: PrintScope,
): PrintedExpression {
  const name = scope.conversion.names.get(address)
  if (name === undefined) return printPlaceholder(expression, `'${address}' does not exist`, scope)
  return { text: name, shape: scope.conversion.shapeOf(address) }
}
