import { Document } from 'yaml'
import { isProviderType } from '../../shared/names/provider-reference.ts'
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
import { type Definition, definitionsOf } from './generated.ts'

/** A name as a key of a YAML program. */
function yamlName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_-]/gu, '_')
}

/** The resources of a YAML program. What a program would make itself cannot be told there. */
export function yamlProgram(
  states: readonly ResourceState[],
  names: ReadonlyMap<Urn, string>,
): string {
  const { resources, literals } = definitionsOf(states, names, { legal: yamlName, taken: [] })
  const told = resources.filter(({ state }) => state.custom || state.provider !== '')
  const entries = told.map(one => {
    const refer = (text: string): string | undefined => {
      const found = literals.get(text)
      return found === undefined || found.owner === one.name
        ? undefined
        : `\${${found.owner}.${found.property}}`
    }
    return [one.name, entryOf(one, refer)] as const
  })
  const left = resources.filter(one => !told.includes(one))
  const notes = left.map(
    ({ name, state }) => `# ${name}: components of type ${state.type} are not made in YAML\n`,
  )
  const text = new Document({ resources: Object.fromEntries(entries) }).toString({ lineWidth: 0 })
  return `${notes.join('')}${text}`
}

function entryOf(one: Definition, refer: (text: string) => string | undefined): object {
  const { state, name } = one
  const hidden = isProviderType(state.type) ? ['version', '__internal'] : []
  const inputs = new Map([...state.inputs].filter(([key]) => !hidden.includes(key)))
  const options = optionsOf(one)
  return {
    type: shortType(state.type),
    ...(nameOf(state.urn) === name ? {} : { name: nameOf(state.urn) }),
    ...(inputs.size === 0 ? {} : { properties: objectOf(inputs, refer) }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  }
}

/** `random:index/randomPet:RandomPet` as `random:RandomPet`. */
function shortType(type: string): string {
  const [pkg = '', module = '', name = ''] = type.split(':')
  if (pkg === 'pulumi') return type
  const words = module.split('/')
  const isOwn = words.length > 1 && words.at(-1)?.toLowerCase() === name.toLowerCase()
  const kept = (isOwn ? words.slice(0, -1) : words).join('/')
  return kept === 'index' || kept === '' ? `${pkg}:${name}` : `${pkg}:${kept}:${name}`
}

function optionsOf({ state, parent, provider, dependsOn }: Definition): object {
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

function objectOf(map: PropertyMap, refer: (text: string) => string | undefined): object {
  const sorted = [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    sorted.flatMap(([key, value]) =>
      key === '__defaults' ? [] : [[key, plainOf(value, refer)] as const],
    ),
  )
}

function plainOf(value: PropertyValue, refer: (text: string) => string | undefined): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return refer(value) ?? escaped(value)
  if (isList(value)) return value.map(item => plainOf(item, refer))
  if (isMap(value)) return objectOf(value, refer)
  switch (value.kind) {
    case 'secret':
      return { 'fn::secret': plainOf(value.value, refer) }
    case 'asset':
      return assetOf(value)
    case 'archive':
      return archiveOf(value)
    case 'reference':
      return typeof value.id === 'string' ? value.id : value.urn
    case 'bytes':
      return value.base64
    case 'output':
      return plainOf(value.value ?? null, refer)
    case 'unknown':
      return null
    default:
      return value satisfies never
  }
}

/** A text in which nothing is replaced. */
function escaped(text: string): string {
  return text.replaceAll('${', () => '$${')
}

function assetOf({ source }: Asset): object {
  if (source === undefined) return { 'fn::stringAsset': '' }
  if ('text' in source) return { 'fn::stringAsset': escaped(source.text) }
  if ('path' in source) return { 'fn::fileAsset': escaped(source.path) }
  return { 'fn::remoteAsset': escaped(source.uri) }
}

function archiveOf({ source }: Archive): object {
  if (source === undefined) return { 'fn::assetArchive': {} }
  if ('path' in source) return { 'fn::fileArchive': escaped(source.path) }
  if ('uri' in source) return { 'fn::remoteArchive': escaped(source.uri) }
  const members = [...source.assets].map(
    ([key, one]) => [key, one.kind === 'asset' ? assetOf(one) : archiveOf(one)] as const,
  )
  return { 'fn::assetArchive': Object.fromEntries(members) }
}
