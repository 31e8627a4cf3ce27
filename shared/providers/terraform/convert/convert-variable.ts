import type { HclExpression } from '../hcl/syntax.ts'
import { createPropertyNames, freeShape, type ValueShape } from '../mapping/property-names.ts'
import type { Declaration } from './terraform-program.ts'
import { enterFile, printOperand, type PrintScope } from './conversion.ts'
import { indentLines, type PrintedAttribute, printKey, quoteText } from './print-text.ts'
import { readLiteralText } from './read-requirements.ts'

/** Prints a block with labels that are already printed. */
export function printBlock(head: string, attributes: readonly string[]): string {
  return attributes.length === 0
    ? `${head} {\n}`
    : `${head} {\n${attributes.map(indentLines).join('\n')}\n}`
}

/** Prints attributes, one a line. */
export function printAttributes(attributes: readonly PrintedAttribute[]): readonly string[] {
  return attributes.map(({ name, text }) => `${name} = ${text}`)
}

/** Returns the attribute with the name that users see, unless the part has this name already. */
export function printLogicalName(name: string, logicalName: string): readonly string[] {
  return name === logicalName ? [] : [`__logicalName = ${quoteText(logicalName)}`]
}

/** Converts a variable to a configuration value. A value in `*.tfvars` becomes its default. */
export function convertVariable(variable: Declaration, scope: PrintScope): string {
  const { name: tfName, body } = variable
  const { conversion } = scope
  const name = conversion.names.get(`var.${tfName}`) ?? tfName
  const { attributes, blocks } = body
  const isSensitive = isTrue(attributes.get('sensitive'))
  const assigned = conversion.program.values.get(tfName)
  if (assigned !== undefined && isSensitive)
    conversion.report({
      file: assigned.file,
      line: assigned.line,
      column: assigned.column,
      problem: `the value of the sensitive variable '${tfName}' was left out`,
      advice: `Set it with \`antichain config set --secret ${tfName}\`.`,
    })
  const value = (isSensitive ? undefined : assigned?.value) ?? attributes.get('default')
  const description = readText(attributes.get('description'))
  for (const block of blocks) {
    const { line, column, type } = block
    const { file } = enterFile(block, scope)
    conversion.report({
      file,
      line,
      column,
      problem: `the block '${type}' of '${tfName}' was left out`,
      advice: 'Check the value in the new program, or in a policy.',
    })
  }
  return printBlock(`config ${name} ${quoteText(printType(attributes.get('type'), value))}`, [
    ...printLogicalName(name, tfName),
    ...(value === undefined || value.kind === 'null'
      ? []
      : [`default = ${printOperand(value, scope).text}`]),
    ...(value?.kind === 'null' ? ['nullable = true'] : []),
    ...(description === undefined ? [] : [`description = ${quoteText(description)}`]),
    ...(isSensitive ? ['secret = true'] : []),
  ])
}

/** Reports whether an expression is the word `true`. */
export function isTrue(expression: HclExpression | undefined): boolean {
  return expression?.kind === 'boolean' && expression.value
}

function readText(expression: HclExpression | undefined): string | undefined {
  return expression === undefined ? undefined : readLiteralText(expression)
}

/** Prints the type of a variable. Without a type, it follows from the default value. */
function printType(type: HclExpression | undefined, value: HclExpression | undefined): string {
  if (type !== undefined) return printTypeExpression(type)
  switch (value?.kind) {
    case 'number':
    case 'unary':
      return 'number'
    case 'boolean':
      return 'bool'
    case 'tuple':
    case 'for':
      return 'list(any)'
    case 'object':
      return 'map(any)'
    case undefined:
    case 'template':
      return 'string'
    default:
      return 'any'
  }
}

function printTypeExpression(type: HclExpression): string {
  if (type.kind === 'name') return type.name
  if (type.kind !== 'call') return 'any'
  const [first] = type.args
  const inner = first === undefined ? 'any' : printTypeExpression(first)
  switch (type.name) {
    case 'list':
    case 'map':
      return `${type.name}(${inner})`
    case 'set':
      return `list(${inner})`
    case 'optional':
      return inner
    case 'object':
      return first?.kind === 'object'
        ? `object({${first.items
            .map(
              ({ key, value }) =>
                `${printKey(readLiteralText(key) ?? '')} = ${printTypeExpression(value)}`,
            )
            .join(', ')}})`
        : 'map(any)'
    case 'tuple':
      return 'list(any)'
    default:
      return 'any'
  }
}

/**
 * Returns the shape of a variable's values: that of its type, or of the type that follows from its
 * value. `assigned` is the value in a file `*.tfvars`.
 */
export function shapeOfVariable(
  { body: { attributes } }: Declaration,
  assigned: HclExpression | undefined,
): ValueShape {
  const type = attributes.get('type')
  if (type !== undefined) return shapeOfTypeExpression(type)
  const value = assigned ?? attributes.get('default')
  if (value?.kind === 'tuple') return { kind: 'list', element: freeShape }
  return value?.kind === 'object' ? { kind: 'map', element: freeShape } : freeShape
}

/** Returns the shape of the values of a type. The new program keeps the names within them. */
function shapeOfTypeExpression(type: HclExpression): ValueShape {
  if (type.kind !== 'call') return freeShape
  const [first] = type.args
  const inner = first === undefined ? freeShape : shapeOfTypeExpression(first)
  switch (type.name) {
    case 'list':
    case 'set':
    case 'map':
      return { kind: type.name, element: inner }
    case 'optional':
      return inner
    case 'object': {
      const items = first?.kind === 'object' ? first.items : []
      const names = createPropertyNames(
        items.map(({ key, value }) => {
          const name = readLiteralText(key) ?? ''
          return [name, { name, shape: shapeOfTypeExpression(value), isFlattened: false }]
        }),
      )
      return { kind: 'object', names }
    }
    default:
      return freeShape
  }
}
