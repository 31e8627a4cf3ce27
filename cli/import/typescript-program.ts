import { isProviderType, packageOf } from '../../shared/names/provider-reference.ts'
import { nameOf, type Urn } from '../../shared/names/urn.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import {
  type Archive,
  type Asset,
  isList,
  isMap,
  type PropertyValue,
} from '../../shared/values/value.ts'
import { type Definition, definitionsOf, listEntries, userInputsOf } from './program-definitions.ts'

const tab = '    '
const reservedWords = new Set(
  (
    'abstract any as asserts async await boolean break case catch class const constructor continue ' +
    'debugger declare default delete do else enum export extends false finally for from function ' +
    'get if implements import in instanceof interface is let module namespace never new null number ' +
    'object of package private protected public require return set static string super switch ' +
    'symbol this throw true try type typeof undefined unique unknown var void while with yield'
  ).split(' '),
)

/** Converts a name to a legal variable name of TypeScript. */
export function toVariableName(name: string): string {
  const legalText = name.replaceAll(/[^\p{ID_Continue}$]/gu, '_')
  const identifier = /^[\p{ID_Start}_$]/u.test(legalText) ? legalText : `_${legalText}`
  return reservedWords.has(identifier) ? `_${identifier}` : identifier
}

/**
 * Renders a TypeScript program with these resources. `chosenNames`: the variable names that the
 * import file chose.
 */
export function renderTypescriptProgram(
  states: readonly ResourceState[],
  chosenNames: ReadonlyMap<Urn, string>,
): string {
  const packages = [...new Set(states.flatMap(state => packageNameOf(state) ?? []))].sort()
  const { resources, sourcesByText } = definitionsOf(states, chosenNames, {
    toLegalName: toVariableName,
    reservedNames: ['pulumi', ...packages.map(importNameOf)],
  })
  const imports = packages.map(pkg => `import * as ${importNameOf(pkg)} from "@pulumi/${pkg}";`)
  const createReferenceFinder = (resourceName: string) => (text: string) => {
    const source = sourcesByText.get(text)
    return source === undefined || source.owner === resourceName
      ? undefined
      : `${source.owner}.${source.property}`
  }
  const renderedResources = resources.map(definition =>
    renderResource(definition, createReferenceFinder(definition.name)),
  )
  return `${['import * as pulumi from "@pulumi/pulumi";', ...imports].join('\n')}\n\n${renderedResources.join('\n')}`
}

/** Returns the package to import for a resource, or undefined if it needs none. */
function packageNameOf({ type, custom, provider }: ResourceState): string | undefined {
  if (!custom && provider === '') return undefined
  const pkg = packageOf(type)
  return pkg === 'pulumi' ? undefined : pkg
}

/** Returns the name under which a program imports a package. */
function importNameOf(pkg: string): string {
  return toVariableName(pkg)
}

/** Returns the class of a type, such as `aws.s3.Bucket`. */
function classOf(type: string): string {
  if (isProviderType(type)) return `${importNameOf(packageOf(type))}.Provider`
  const [pkg = '', module = '', name = ''] = type.split(':')
  const segments = module.split('/')
  const repeatsName = segments.length > 1 && segments.at(-1)?.toLowerCase() === name.toLowerCase()
  const moduleSegments = (repeatsName ? segments.slice(0, -1) : segments).filter(
    segment => segment !== 'index' && segment !== '',
  )
  return [importNameOf(pkg), ...moduleSegments.map(toVariableName), name].join('.')
}

/**
 * Renders the declaration of a resource. `findReference` returns a reference to the property of
 * another resource that has the text as its value.
 */
function renderResource(
  definition: Definition,
  findReference: (text: string) => string | undefined,
): string {
  const { state, name } = definition
  const logicalName = JSON.stringify(nameOf(state.urn))
  const options = renderOptions(definition)
  const optionsText = options.length === 0 ? '' : `, ${renderBlock(options, 0)}`
  if (!state.custom && state.provider === '')
    return `const ${name} = new pulumi.ComponentResource(${JSON.stringify(state.type)}, ${logicalName}, {}${optionsText});\n`
  const inputLines = listEntries(userInputsOf(state)).map(
    ([key, value]) => `${renderKey(key)}: ${renderValue(value, 1, findReference)}`,
  )
  const args =
    inputLines.length > 0 ? `, ${renderBlock(inputLines, 0)}` : optionsText === '' ? '' : ', {}'
  return `const ${name} = new ${classOf(state.type)}(${logicalName}${args}${optionsText});\n`
}

function renderOptions({ state, parent, provider, dependsOn }: Definition): readonly string[] {
  const { protect, retainOnDelete, ignoreChanges, importID } = state
  return [
    ...(parent === '' ? [] : [`parent: ${parent}`]),
    ...(provider === '' ? [] : [`provider: ${provider}`]),
    ...(dependsOn.length === 0 ? [] : [`dependsOn: [${dependsOn.join(', ')}]`]),
    ...(protect ? ['protect: true'] : []),
    ...(retainOnDelete ? ['retainOnDelete: true'] : []),
    ...(ignoreChanges.length === 0
      ? []
      : [`ignoreChanges: [${ignoreChanges.map(path => JSON.stringify(path)).join(', ')}]`]),
    ...(importID === '' ? [] : [`import: ${JSON.stringify(importID)}`]),
  ]
}

function renderBlock(lines: readonly string[], depth: number): string {
  const indent = tab.repeat(depth + 1)
  return `{\n${lines.map(line => `${indent}${line},\n`).join('')}${tab.repeat(depth)}}`
}

function renderKey(key: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(key) ? key : JSON.stringify(key)
}

function renderValue(
  value: PropertyValue,
  depth: number,
  findReference: (text: string) => string | undefined,
): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number')
    return JSON.stringify(value)
  if (typeof value === 'string') return findReference(value) ?? JSON.stringify(value)
  if (isList(value)) {
    if (value.length === 0) return '[]'
    const indent = tab.repeat(depth + 1)
    const isFlat = value.every(item => !isMap(item) && !isList(item))
    const items = value.map(item => renderValue(item, isFlat ? depth + 1 : depth, findReference))
    if (isFlat)
      return `[\n${items.map(item => `${indent}${item},\n`).join('')}${tab.repeat(depth)}]`
    return `[${items.join(', ')}]`
  }
  if (isMap(value)) {
    const lines = listEntries(value).map(
      ([key, item]) => `${renderKey(key)}: ${renderValue(item, depth + 1, findReference)}`,
    )
    return lines.length === 0 ? '{}' : renderBlock(lines, depth)
  }
  switch (value.kind) {
    case 'secret':
      return `pulumi.secret(${renderValue(value.value, depth, findReference)})`
    case 'asset':
      return renderAsset(value)
    case 'archive':
      return renderArchive(value, depth)
    case 'reference':
      return JSON.stringify(typeof value.id === 'string' ? value.id : value.urn)
    case 'bytes':
      return `Buffer.from(${JSON.stringify(value.base64)}, "base64")`
    case 'output':
      return renderValue(value.value ?? null, depth, findReference)
    case 'unknown':
      return 'undefined'
    default:
      return value satisfies never
  }
}

function renderAsset({ source }: Asset): string {
  if (source === undefined) return 'new pulumi.asset.StringAsset("")'
  if ('text' in source) return `new pulumi.asset.StringAsset(${JSON.stringify(source.text)})`
  if ('path' in source) return `new pulumi.asset.FileAsset(${JSON.stringify(source.path)})`
  return `new pulumi.asset.RemoteAsset(${JSON.stringify(source.uri)})`
}

function renderArchive({ source }: Archive, depth: number): string {
  if (source === undefined) return 'new pulumi.asset.AssetArchive({})'
  if ('path' in source) return `new pulumi.asset.FileArchive(${JSON.stringify(source.path)})`
  if ('uri' in source) return `new pulumi.asset.RemoteArchive(${JSON.stringify(source.uri)})`
  const lines = [...source.assets].map(([key, asset]) => {
    const member = asset.kind === 'asset' ? renderAsset(asset) : renderArchive(asset, depth + 1)
    return `${JSON.stringify(key)}: ${member}`
  })
  return `new pulumi.asset.AssetArchive(${renderBlock(lines, depth)})`
}
