import { Document } from 'yaml'
import { nameOf, type Urn } from '../../shared/names/urn.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import {
  type Archive,
  type Asset,
  isList,
  isMap,
  type PropertyMap,
  type PropertyValue,
} from '../../shared/values/value.ts'
import { type Definition, definitionsOf, listEntries, userInputsOf } from './program-definitions.ts'

/** Converts a name to a key of a YAML program. */
function toYamlName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_-]/gu, '_')
}

/**
 * Renders the resources of a YAML program. A component of the program itself cannot be expressed in
 * YAML, so a comment names it instead. `chosenNames`: the names that the import file chose.
 */
export function renderYamlProgram(
  states: readonly ResourceState[],
  chosenNames: ReadonlyMap<Urn, string>,
): string {
  const { resources, sourcesByText } = definitionsOf(states, chosenNames, {
    toLegalName: toYamlName,
    reservedNames: [],
  })
  const renderedResources = resources.filter(({ state }) => state.custom || state.provider !== '')
  const entries = renderedResources.map(definition => {
    const findReference = (text: string): string | undefined => {
      const source = sourcesByText.get(text)
      return source === undefined || source.owner === definition.name
        ? undefined
        : `\${${source.owner}.${source.property}}`
    }
    return [definition.name, renderResource(definition, findReference)] as const
  })
  const omittedResources = resources.filter(definition => !renderedResources.includes(definition))
  const comments = omittedResources.map(
    ({ name, state }) => `# ${name}: components of type ${state.type} cannot be created in YAML\n`,
  )
  const text = new Document({ resources: Object.fromEntries(entries) }).toString({ lineWidth: 0 })
  return `${comments.join('')}${text}`
}

/**
 * Renders the entry of a resource. `findReference` returns a reference to the property of another
 * resource that has the text as its value.
 */
function renderResource(
  definition: Definition,
  findReference: (text: string) => string | undefined,
): object {
  const { state, name } = definition
  const inputs = userInputsOf(state)
  const options = renderOptions(definition)
  return {
    type: shortTypeOf(state.type),
    ...(nameOf(state.urn) === name ? {} : { name: nameOf(state.urn) }),
    ...(inputs.size === 0 ? {} : { properties: renderMap(inputs, findReference) }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  }
}

/** Shortens `random:index/randomPet:RandomPet` to `random:RandomPet`. */
function shortTypeOf(type: string): string {
  const [pkg = '', module = '', name = ''] = type.split(':')
  if (pkg === 'pulumi') return type
  const segments = module.split('/')
  const repeatsName = segments.length > 1 && segments.at(-1)?.toLowerCase() === name.toLowerCase()
  const modulePath = (repeatsName ? segments.slice(0, -1) : segments).join('/')
  return modulePath === 'index' || modulePath === ''
    ? `${pkg}:${name}`
    : `${pkg}:${modulePath}:${name}`
}

function renderOptions({ state, parent, provider, dependsOn }: Definition): object {
  return {
    ...(parent === '' ? {} : { parent: `\${${parent}}` }),
    ...(provider === '' ? {} : { provider: `\${${provider}}` }),
    ...(dependsOn.length === 0 ? {} : { dependsOn: dependsOn.map(name => `\${${name}}`) }),
    ...(state.protect ? { protect: true } : {}),
    ...(state.retainOnDelete ? { retainOnDelete: true } : {}),
    ...(state.ignoreChanges.length === 0 ? {} : { ignoreChanges: state.ignoreChanges }),
    ...(state.importID === '' ? {} : { import: state.importID }),
  }
}

function renderMap(map: PropertyMap, findReference: (text: string) => string | undefined): object {
  return Object.fromEntries(
    listEntries(map).map(([key, value]) => [key, renderValue(value, findReference)] as const),
  )
}

function renderValue(
  value: PropertyValue,
  findReference: (text: string) => string | undefined,
): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return findReference(value) ?? escapeText(value)
  if (isList(value)) return value.map(item => renderValue(item, findReference))
  if (isMap(value)) return renderMap(value, findReference)
  switch (value.kind) {
    case 'secret':
      return { 'fn::secret': renderValue(value.value, findReference) }
    case 'asset':
      return renderAsset(value)
    case 'archive':
      return renderArchive(value)
    case 'reference':
      return typeof value.id === 'string' ? value.id : value.urn
    case 'bytes':
      return value.base64
    case 'output':
      return renderValue(value.value ?? null, findReference)
    case 'unknown':
      return null
    default:
      return value satisfies never
  }
}

/** Escapes each `${` in a text, so that a YAML program does not read it as an interpolation. */
function escapeText(text: string): string {
  return text.replaceAll('${', () => '$${')
}

function renderAsset({ source }: Asset): object {
  if (source === undefined) return { 'fn::stringAsset': '' }
  if ('text' in source) return { 'fn::stringAsset': escapeText(source.text) }
  if ('path' in source) return { 'fn::fileAsset': escapeText(source.path) }
  return { 'fn::remoteAsset': escapeText(source.uri) }
}

function renderArchive({ source }: Archive): object {
  if (source === undefined) return { 'fn::assetArchive': {} }
  if ('path' in source) return { 'fn::fileArchive': escapeText(source.path) }
  if ('uri' in source) return { 'fn::remoteArchive': escapeText(source.uri) }
  const members = [...source.assets].map(
    ([key, asset]) =>
      [key, asset.kind === 'asset' ? renderAsset(asset) : renderArchive(asset)] as const,
  )
  return { 'fn::assetArchive': Object.fromEntries(members) }
}
