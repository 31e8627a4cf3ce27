import { basePlugin } from '../mapping/base-plugin.ts'
import { freeShape, type ValueShape } from '../mapping/property-names.ts'
import type {
  ConversionNote,
  Declaration,
  ProviderBlock,
  TerraformProgram,
  TypedDeclaration,
} from './terraform-program.ts'
import {
  type Conversion,
  type ConversionPackage,
  enterFile,
  type PclDialect,
  printOperand,
  type PrintScope,
} from './conversion.ts'
import { printExpression } from './print-expression.ts'
import { convertDataSource, convertResource } from './convert-resource.ts'
import {
  convertVariable,
  isTrue,
  printAttributes,
  printBlock,
  printLogicalName,
  shapeOfVariable,
} from './convert-variable.ts'
import { findDataSourceSchema, findResourceSchema } from './schema-lookup.ts'
import { addressOfProvider, nameNodes } from './name-nodes.ts'
import { printBody } from './print-body.ts'
import { quoteText } from './print-text.ts'

/** The text of a new program, and the parts that were not converted completely. */
export interface ConvertedProgram {
  readonly text: string
  /** Whether the program calls functions of Pulumi's package `std`. */
  readonly needsStandardPackage: boolean
  readonly notes: readonly ConversionNote[]
}

/** The host that will run a new program: its dialect, and whether it has the package `std`. */
export interface ConversionTarget {
  readonly dialect: PclDialect
  readonly usesStandardPackage: boolean
}

/**
 * Converts a program to Pulumi's configuration language. `packages` has the packages by the local
 * names of their providers. Throws TERRAFORM_PROVIDER_BUG and ProviderError for invalid schemas.
 */
export function convertTerraformProgram(
  program: TerraformProgram,
  packages: ReadonlyMap<string, ConversionPackage>,
  target: ConversionTarget,
): ConvertedProgram {
  const notes = new Map<string, ConversionNote>()
  const report = (note: ConversionNote): void => {
    notes.set(`${note.file}:${note.line}:${note.column} ${note.problem}`, note)
  }
  for (const note of program.notes) report(note)
  const conversion: Conversion = {
    ...target,
    program,
    packages,
    names: nameNodes(program),
    report,
    placeholderNames: new Set(),
    print: (expression, scope) => printExpression(expression, enterFile(expression, scope)),
    shapeOf: createShapeFinder(program, packages, () => conversion),
  }
  const convert = <T extends { readonly file: string }>(
    items: readonly T[],
    print: (item: T, scope: PrintScope) => string | undefined,
  ): readonly string[] =>
    items.flatMap(item => print(item, createScope(conversion, item.file)) ?? [])
  const parts = [
    ...[...packages.values()].map(printPackage),
    ...convert(program.variables, convertVariable),
    ...convert(program.locals, ({ name, value }, scope) => {
      const printed = printOperand(value, scope)
      return `${conversion.names.get(`local.${name}`) ?? name} = ${printed.text}`
    }),
    ...convert(program.providers, convertProvider),
    ...convert(program.dataSources, convertDataSource),
    ...convert(program.resources, convertResource),
    ...convert(program.outputs, convertOutput),
  ]
  const placeholderConfigs = [...conversion.placeholderNames].map(name =>
    printBlock(`config ${name} "string"`, []),
  )
  const text = `${[...parts, ...placeholderConfigs].join('\n\n')}\n`
  return { text, needsStandardPackage: text.includes('invoke("std:'), notes: [...notes.values()] }
}

function createScope(conversion: Conversion, file: string): PrintScope {
  return { conversion, file, variables: new Map() }
}

/**
 * Prints the declaration of a package. Its block has the name of the package as a label, which
 * earlier versions of language hosts require.
 */
function printPackage({ pkg, parameter }: ConversionPackage): string {
  return printBlock(`package ${quoteText(pkg.name)}`, [
    `baseProviderName = ${quoteText(basePlugin.name)}`,
    `baseProviderVersion = ${quoteText(basePlugin.version)}`,
    printBlock('parameterization', [
      `name = ${quoteText(pkg.name)}`,
      `version = ${quoteText(pkg.version)}`,
      `value = ${quoteText(parameter)}`,
    ]),
  ])
}

/** Converts the configuration of a provider to a provider resource. */
function convertProvider(block: ProviderBlock, scope: PrintScope): string | undefined {
  const { name: tfName, alias, body } = block
  const pkg = scope.conversion.packages.get(tfName)?.pkg
  if (pkg === undefined) return undefined
  const name = scope.conversion.names.get(addressOfProvider(tfName, alias)) ?? tfName
  const { provider } = pkg
  return printBlock(`resource ${name} ${quoteText(`pulumi:providers:${pkg.name}`)}`, [
    ...printLogicalName(name, alias ?? tfName),
    ...printAttributes(printBody(body, provider, scope, ['alias', 'version'])),
  ])
}

function convertOutput({ name: tfName, body }: Declaration, scope: PrintScope): string {
  const name = scope.conversion.names.get(`output.${tfName}`) ?? tfName
  const value = body.attributes.get('value')
  const text = value === undefined ? 'null' : printOperand(value, scope).text
  const isSensitive = isTrue(body.attributes.get('sensitive'))
  const dependencies = body.attributes.get('depends_on')
  if (dependencies !== undefined)
    scope.conversion.report({
      file: scope.file,
      line: dependencies.line,
      column: dependencies.column,
      problem: `the dependencies of the output '${tfName}' were left out`,
      advice: 'Use a value of each dependency in the output.',
    })
  for (const block of body.blocks) {
    const { line, column, type } = block
    const { file } = enterFile(block, scope)
    scope.conversion.report({
      file,
      line,
      column,
      problem: `the ${type} of the output '${tfName}' was left out`,
      advice: 'Write the condition as code of the new program.',
    })
  }
  return printBlock(`output ${name}`, [
    ...printLogicalName(name, tfName),
    `value = ${isSensitive ? `secret(${text})` : text}`,
  ])
}

/** Returns a function that finds the shape of a part by its address. */
function createShapeFinder(
  program: TerraformProgram,
  packages: Conversion['packages'],
  getConversion: () => Conversion,
): (address: string) => ValueShape {
  const shapes = new Map<string, ValueShape>(
    program.variables.map(variable => [
      `var.${variable.name}`,
      shapeOfVariable(variable, program.values.get(variable.name)?.value),
    ]),
  )
  const repeatShape = (item: TypedDeclaration, element: ValueShape): ValueShape => {
    if (item.body.attributes.has('count')) return { kind: 'list', element }
    return item.body.attributes.has('for_each') ? { kind: 'map', element } : element
  }
  for (const item of program.resources) {
    const found = findResourceSchema(item, { packages })
    if (found !== undefined)
      shapes.set(
        `${item.type}.${item.name}`,
        repeatShape(item, { kind: 'object', names: found.names }),
      )
  }
  for (const item of program.dataSources) {
    const found = findDataSourceSchema(item, { packages })
    if (found !== undefined)
      shapes.set(
        `data.${item.type}.${item.name}`,
        repeatShape(item, { kind: 'object', names: found.names }),
      )
  }
  const locals = new Map(program.locals.map(local => [`local.${local.name}`, local]))
  return address => {
    const known = shapes.get(address)
    const local = locals.get(address)
    if (known !== undefined || local === undefined) return known ?? freeShape
    // A local value that refers to itself has no shape.
    shapes.set(address, freeShape)
    const { shape } = printOperand(local.value, createScope(getConversion(), local.file))
    shapes.set(address, shape)
    return shape
  }
}
