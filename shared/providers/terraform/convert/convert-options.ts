import type { HclExpression, HclSyntaxBlock } from '../hcl/syntax.ts'
import type { PropertyNames } from '../mapping/property-names.ts'
import type { TypedDeclaration } from './terraform-program.ts'
import { enterFile, printOperand, type PrintScope } from './conversion.ts'
import { printList } from './print-text.ts'
import { isTrue, printBlock } from './convert-variable.ts'
import { findProviderName } from './schema-lookup.ts'

/** The parts of a resource from which its options follow. */
interface OptionSource {
  /** The printed number of objects, or the printed map with a value for each. */
  readonly range: string | undefined
  /** The scope with the variables of the repetition. */
  readonly scope: PrintScope
  readonly names: PropertyNames
}

/**
 * Converts the settings of a resource that are not its properties. Returns them as a block of
 * options.
 */
export function convertOptions(
  resource: TypedDeclaration,
  { range, scope, names }: OptionSource,
): readonly string[] {
  const { type, name, body } = resource
  const { conversion } = scope
  const provider = findProviderName(resource, conversion)
  const dependencies = printDependencies(resource, scope)
  const lifecycle = body.blocks.find(block => block.type === 'lifecycle')
  const imported = conversion.program.imports.find(({ address }) => address === `${type}.${name}`)
  const createsFirst = isTrue(lifecycle?.body.attributes.get('create_before_destroy'))
  const options = [
    ...(range === undefined ? [] : [`range = ${range}`]),
    ...(provider === undefined ? [] : [`provider = ${provider}`]),
    ...(dependencies === undefined ? [] : [`dependsOn = ${dependencies}`]),
    ...(lifecycle === undefined ? [] : convertLifecycle(lifecycle, scope, names)),
    ...(conversion.dialect === 'reduced' ? [] : [`deleteBeforeReplace = ${!createsFirst}`]),
    ...(imported === undefined ? [] : [`import = ${printOperand(imported.id, scope).text}`]),
  ]
  return [printBlock('options', options)]
}

/**
 * Prints the list of the resources in `depends_on`. Data sources are values, so they are reported.
 * Returns undefined for an empty list.
 */
export function printDependencies(
  { body }: TypedDeclaration,
  scope: PrintScope,
): string | undefined {
  const dependencies = body.attributes.get('depends_on')
  if (dependencies === undefined) return undefined
  const items = dependencies.kind === 'tuple' ? dependencies.items : [dependencies]
  const texts = items.flatMap(item => {
    const mayBeResource =
      item.kind !== 'attribute' ||
      item.source.kind !== 'name' ||
      !['data', 'module', 'var', 'local'].includes(item.source.name)
    // The address of a resource has two names, such as `dns_a.web`. A data source has three.
    const hasThirdName = item.kind === 'attribute' && item.source.kind === 'attribute'
    if (mayBeResource && !hasThirdName) return [scope.conversion.print(item, scope).text]
    scope.conversion.report({
      file: scope.file,
      line: item.line,
      column: item.column,
      problem: 'a dependency on a part that is no resource was left out',
      advice: 'Use a value of that part in the resource.',
    })
    return []
  })
  return texts.length === 0 ? undefined : printList(texts)
}

/** Reports the conditions of a `lifecycle` block. */
export function reportConditions({ body }: HclSyntaxBlock, scope: PrintScope): void {
  for (const block of body.blocks)
    scope.conversion.report({
      file: enterFile(block, scope).file,
      line: block.line,
      column: block.column,
      problem: `the ${block.type} was left out`,
      advice: 'Write the condition as a policy, or as code of the new program.',
    })
}

function convertLifecycle(
  lifecycle: HclSyntaxBlock,
  scope: PrintScope,
  names: PropertyNames,
): readonly string[] {
  reportConditions(lifecycle, scope)
  const { attributes } = lifecycle.body
  const ignored = attributes.get('ignore_changes')
  const triggers = attributes.get('replace_triggered_by')
  const properties = ignored?.kind === 'tuple' ? ignored.items : []
  if (ignored?.kind === 'name')
    scope.conversion.report({
      file: enterFile(ignored, scope).file,
      line: ignored.line,
      column: ignored.column,
      problem: '`ignore_changes = all` was left out',
      advice: 'List the properties in the option `ignoreChanges`.',
    })
  return [
    ...(isTrue(attributes.get('prevent_destroy')) ? ['protect = true'] : []),
    ...(properties.length === 0
      ? []
      : [`ignoreChanges = [${properties.map(path => printPath(path, scope, names)).join(', ')}]`]),
    ...(triggers?.kind === 'tuple' ? printTriggers(triggers.items, scope) : []),
  ]
}

/** Prints the path of a property of the resource itself. */
function printPath(path: HclExpression, scope: PrintScope, names: PropertyNames): string {
  const variables = new Map(
    [...names.toPulumi].map(([tfName, { name, shape, isFlattened }]) => [
      tfName,
      { text: name, shape, isFlattened },
    ]),
  )
  return scope.conversion.print(path, { ...scope, variables }).text
}

/** Prints triggers: the replacement of another resource, or a change of a value. */
function printTriggers(items: readonly HclExpression[], scope: PrintScope): readonly string[] {
  const isResourceReference = (item: HclExpression): boolean =>
    item.kind === 'attribute' && item.source.kind === 'name'
  const print = (item: HclExpression): string => printOperand(item, scope).text
  const resources = items.filter(isResourceReference).map(print)
  const values = items.filter(item => !isResourceReference(item)).map(print)
  return [
    ...(resources.length === 0 ? [] : [`replaceWith = [${resources.join(', ')}]`]),
    ...(values.length === 0 ? [] : [`replacementTrigger = [${values.join(', ')}]`]),
  ]
}
