import type { HclExpression, HclPlace, HclSyntaxBlock } from '../hcl/syntax.ts'
import { freeShape, type ValueShape } from '../mapping/property-names.ts'
import type { TerraformPackage } from '../driver/terraform-package.ts'
import type { ConversionNote, TerraformProgram } from './terraform-program.ts'
import { quoteText } from './print-text.ts'

/** A package of a provider that a program requires. */
export interface ConversionPackage {
  readonly pkg: TerraformPackage
  /** The parameter of the package, as base64. */
  readonly parameter: string
}

/**
 * The part of Pulumi's configuration language that the host of the new program accepts. `reduced`:
 * without the function `notImplemented` and the option `deleteBeforeReplace`, as in YAML.
 */
export type PclDialect = 'full' | 'reduced'

/** A conversion of one program. */
export interface Conversion {
  readonly dialect: PclDialect
  readonly program: TerraformProgram
  /** Whether the new program may call functions of Pulumi's package `std`. */
  readonly usesStandardPackage: boolean
  /** The packages by the local names of their providers. */
  readonly packages: ReadonlyMap<string, ConversionPackage>
  /** The names in the new program by address, such as `var.size` or `data.dns_a.x`. */
  readonly names: ReadonlyMap<string, string>
  /** Returns the shape of the part of the program at an address. */
  readonly shapeOf: (address: string) => ValueShape
  readonly report: (note: ConversionNote) => void
  /** The names of the configuration values that replace parts without an equivalent. */
  readonly placeholderNames: Set<string>
  /** Prints any expression. The printer of each kind of expression calls it for the parts. */
  readonly print: (expression: HclExpression, scope: PrintScope) => PrintedExpression
}

/** A printed expression, and the names within its value. */
export interface PrintedExpression {
  readonly text: string
  readonly shape: ValueShape
  /** Whether Terraform has a list in this place, and the text is the only element of that list. */
  readonly isFlattened?: boolean
}

/** The names that an expression can use. */
export interface PrintScope {
  readonly conversion: Conversion
  readonly file: string
  /** The variables of `for` expressions. In `ignore_changes`: the properties of the resource. */
  readonly variables: ReadonlyMap<string, PrintedExpression>
  /** The element of the innermost splat. */
  readonly element?: PrintedExpression
  /**
   * The values of `each.key`, `each.value` and `count.index` by these names. A dynamic block has
   * such values too, under the name of its iterator.
   */
  readonly iteration?: ReadonlyMap<string, PrintedExpression>
}

/**
 * Returns the scope with the file of a node: the override file that has set the node, or else the
 * file of the declaration.
 */
export function enterFile(node: HclExpression | HclSyntaxBlock, scope: PrintScope): PrintScope {
  const file = scope.conversion.program.overrideFiles.get(node)
  return file === undefined ? scope : { ...scope, file }
}

/** Creates an expression from its text. The names within its value are not renamed. */
export function createFreeExpression(text: string): PrintedExpression {
  return { text, shape: freeShape }
}

/**
 * Reports a part without equivalent. Returns an expression in its place, with which the new program
 * fails: a call of `notImplemented`. In the reduced dialect, the expression is a configuration
 * value that the user must set.
 */
export function printPlaceholder(
  place: HclPlace,
  problem: string,
  scope: PrintScope,
  advice = 'Replace `notImplemented` in the new program.',
): PrintedExpression {
  const { line, column } = place
  const { file, conversion } = scope
  conversion.report({ file, line, column, problem, advice })
  if (conversion.dialect === 'full')
    return createFreeExpression(`notImplemented(${quoteText(`${file}:${line}: ${problem}`)})`)
  const name = `notImplemented_${file}_${line}_${column}`.replaceAll(/\W/g, '_')
  conversion.placeholderNames.add(name)
  return createFreeExpression(name)
}

/** Returns the shape of the elements of a value. */
export function toElementShape(shape: ValueShape): ValueShape {
  if (shape.kind === 'tuple') return shape.elements[0] ?? freeShape
  return shape.kind === 'list' || shape.kind === 'set' || shape.kind === 'map'
    ? shape.element
    : freeShape
}

/**
 * Puts a printed expression in parentheses, if operators or steps around it could otherwise apply
 * to a part of it. A step after a splat would apply to each element.
 */
export function parenthesize(
  { kind }: HclExpression,
  printed: PrintedExpression,
): PrintedExpression {
  return ['conditional', 'binary', 'unary', 'splat'].includes(kind)
    ? { ...printed, text: `(${printed.text})` }
    : printed
}

/** Prints an expression as a value. Puts a flattened expression into a list again. */
export function printOperand(expression: HclExpression, scope: PrintScope): PrintedExpression {
  const printed = scope.conversion.print(expression, scope)
  return printed.isFlattened === true
    ? { text: `[${printed.text}]`, shape: printed.shape }
    : printed
}
