import type { TypedDeclaration } from './terraform-program.ts'
import { enterFile, type PrintScope } from './conversion.ts'
import { convertOptions, printDependencies, reportConditions } from './convert-options.ts'
import { printAttributes, printBlock, printLogicalName } from './convert-variable.ts'
import { findDataSourceSchema, findProviderName, findResourceSchema } from './schema-lookup.ts'
import { printBody } from './print-body.ts'
import { printIteration } from './print-iteration.ts'
import { printObject, quoteText } from './print-text.ts'

/** Settings of each resource and data source that are no properties. */
const metaArguments: readonly string[] = [
  ...['count', 'for_each', 'provider', 'depends_on', 'lifecycle', 'provisioner', 'connection'],
]

/** Converts a resource. Returns nothing for a type without a schema, which is reported. */
export function convertResource(resource: TypedDeclaration, scope: PrintScope): string | undefined {
  const { type, name: label, body } = resource
  const found = findResourceSchema(resource, scope.conversion)
  if (found === undefined) {
    reportMissingType(resource, scope)
    return undefined
  }
  const name = scope.conversion.names.get(`${type}.${label}`) ?? label
  const { range, scope: inner } = printIteration(body, scope, 'resource')
  const schema = { block: found.block, names: found.names }
  reportProvisioners(resource, scope)
  return printBlock(`resource ${name} ${quoteText(found.token)}`, [
    ...printLogicalName(name, label),
    ...printAttributes(printBody(body, schema, inner, metaArguments)),
    ...convertOptions(resource, { range, scope: inner, names: found.names }),
  ])
}

/** Converts a data source to a local value with the result of a function. */
export function convertDataSource(
  dataSource: TypedDeclaration,
  scope: PrintScope,
): string | undefined {
  const { type, name: label, body } = dataSource
  const { conversion } = scope
  const found = findDataSourceSchema(dataSource, conversion)
  if (found === undefined) {
    reportMissingType(dataSource, scope)
    return undefined
  }
  const { range, scope: inner, isMap } = printIteration(body, scope, 'data')
  const properties = printObject(printBody(body, found, inner, metaArguments))
  const options = printInvokeOptions(dataSource, inner)
  const call = `invoke(${[quoteText(found.token), properties, ...options].join(', ')})`
  const name = conversion.names.get(`data.${type}.${label}`) ?? label
  if (range === undefined) return `${name} = ${call}`
  return isMap
    ? `${name} = { for eachKey, eachValue in ${range} : eachKey => ${call} }`
    : `${name} = [for countIndex in range(${range}) : ${call}]`
}

/** Prints the options of a call, if it has any. Reports the conditions of the data source. */
function printInvokeOptions(dataSource: TypedDeclaration, scope: PrintScope): readonly string[] {
  const provider = findProviderName(dataSource, scope.conversion)
  const dependencies = printDependencies(dataSource, scope)
  if (dependencies !== undefined) reportIgnoredDependencies(dataSource, scope)
  for (const block of dataSource.body.blocks)
    if (block.type === 'lifecycle') reportConditions(block, scope)
  const options = [
    ...(provider === undefined ? [] : [{ name: 'provider', text: provider }]),
    ...(dependencies === undefined ? [] : [{ name: 'dependsOn', text: dependencies }]),
  ]
  return options.length === 0 ? [] : [printObject(options)]
}

/** Reports dependencies for which the host of the new program does not wait. */
function reportIgnoredDependencies(
  { type, name, body }: TypedDeclaration,
  { conversion, file }: PrintScope,
): void {
  const place = body.attributes.get('depends_on')
  if (conversion.dialect === 'full' || place === undefined) return
  const { line, column } = place
  conversion.report({
    file,
    line,
    column,
    problem: `the call of 'data.${type}.${name}' does not wait for its dependencies`,
    advice: 'Use a value of each dependency in an argument of the call.',
  })
}

function reportMissingType(
  { file, line, column, type, name }: TypedDeclaration,
  { conversion }: PrintScope,
): void {
  conversion.report({
    file,
    line,
    column,
    problem: `'${type}.${name}' has a type without a provider`,
    advice: 'Write the object into the new program by hand.',
  })
}

function reportProvisioners({ type, name, body }: TypedDeclaration, scope: PrintScope): void {
  for (const block of body.blocks) {
    if (block.type !== 'provisioner' && block.type !== 'connection') continue
    const { line, column } = block
    const { file } = enterFile(block, scope)
    scope.conversion.report({
      file,
      line,
      column,
      problem: `the ${block.type} of '${type}.${name}' was left out`,
      advice: 'Run its command with the package `command`, or after the deployment.',
    })
  }
}
