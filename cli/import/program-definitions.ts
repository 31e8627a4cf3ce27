import {
  parseProviderReference,
  isDefaultProviderName,
  isProviderType,
} from '../../shared/names/provider-reference.ts'
import { nameOf, stackType, typeOf, type Urn } from '../../shared/names/urn.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import { isList, isMap, type PropertyMap, type PropertyValue } from '../../shared/values/value.ts'

/** A resource of a generated program. */
export interface Definition {
  readonly state: ResourceState
  /** A legal name in the language of the program. No other definition has it. */
  readonly name: string
  /** Names of other resources, '' for none. */
  readonly parent: string
  readonly provider: string
  readonly dependsOn: readonly string[]
}

/** A property of a definition. `owner`: the name of the definition. */
export interface PropertySource {
  readonly owner: string
  readonly property: string
}

/** The contents of a generated program. */
export interface Definitions {
  /** Each resource comes after the resources to which it refers, except in cycles. */
  readonly resources: readonly Definition[]
  /** Maps each text that is the id, `name` or `arn` of exactly one resource to this property. */
  readonly sourcesByText: ReadonlyMap<string, PropertySource>
}

/** The naming rules of a language. */
export interface NamingRules {
  /** Converts a name to a legal name of the language. */
  readonly toLegalName: (name: string) => string
  /** Names that the program already uses, such as those of its imports. */
  readonly reservedNames: readonly string[]
}

/**
 * Returns the definitions of imported resources for a program. `chosenNames`: the variable names
 * that the import file chose. A parent or provider without a name is omitted.
 */
export function definitionsOf(
  states: readonly ResourceState[],
  chosenNames: ReadonlyMap<Urn, string>,
  naming: NamingRules,
): Definitions {
  const nameByUrn = assignLegalNames(states, chosenNames, naming)
  const resources = states.map((state): Definition => {
    const provider = state.provider === '' ? undefined : parseProviderReference(state.provider).urn
    const hasProvider = provider !== undefined && !isDefaultProviderName(nameOf(provider))
    const hasParent = state.parent !== '' && typeOf(state.parent) !== stackType
    return {
      state,
      name: nameByUrn.get(state.urn) ?? '',
      parent: hasParent ? (nameByUrn.get(state.parent) ?? '') : '',
      provider: hasProvider ? (nameByUrn.get(provider) ?? '') : '',
      dependsOn: state.dependencies.flatMap(urn => nameByUrn.get(urn) ?? []),
    }
  })
  const sourcesByText = findPropertySources(resources)
  return { resources: sortByReferences(resources, sourcesByText), sourcesByText }
}

/** Returns the inputs that a user can set. Those that Pulumi adds to providers are omitted. */
export function userInputsOf({ type, inputs }: ResourceState): PropertyMap {
  const internalKeys = isProviderType(type) ? ['version', '__internal'] : []
  return new Map([...inputs].filter(([key]) => !internalKeys.includes(key)))
}

/**
 * Returns the entries of a map for a program, ordered by key. In `__defaults`, providers store the
 * names of properties with default values, so this entry is omitted.
 */
export function listEntries(map: PropertyMap): readonly (readonly [string, PropertyValue])[] {
  return [...map].filter(([key]) => key !== '__defaults').sort(([a], [b]) => (a < b ? -1 : 1))
}

function assignLegalNames(
  states: readonly ResourceState[],
  chosenNames: ReadonlyMap<Urn, string>,
  { toLegalName, reservedNames }: NamingRules,
): ReadonlyMap<Urn, string> {
  const usedNames = new Set(reservedNames)
  const nameByUrn = new Map<Urn, string>()
  const proposedNames = new Map(chosenNames)
  for (const { urn } of states) if (!proposedNames.has(urn)) proposedNames.set(urn, nameOf(urn))
  for (const [urn, name] of proposedNames) {
    const legalName = toLegalName(name)
    let uniqueName = legalName
    for (let count = 2; usedNames.has(uniqueName); count += 1) uniqueName = `${legalName}${count}`
    usedNames.add(uniqueName)
    nameByUrn.set(urn, uniqueName)
  }
  return nameByUrn
}

function findPropertySources(
  resources: readonly Definition[],
): ReadonlyMap<string, PropertySource> {
  const sourcesByText = new Map<string, PropertySource>()
  const ambiguousTexts = new Set<string>()
  const addSource = (text: unknown, source: PropertySource): void => {
    if (typeof text !== 'string' || text === '') return
    if (sourcesByText.has(text) && sourcesByText.get(text)?.owner !== source.owner)
      ambiguousTexts.add(text)
    else if (!sourcesByText.has(text)) sourcesByText.set(text, source)
  }
  for (const { state, name } of resources) {
    if (!state.custom) continue
    addSource(state.id, { owner: name, property: 'id' })
    for (const property of ['name', 'arn'])
      addSource(state.outputs.get(property), { owner: name, property })
  }
  for (const text of ambiguousTexts) sourcesByText.delete(text)
  return sourcesByText
}

/** Orders resources after those they refer to, except in cycles. */
function sortByReferences(
  resources: readonly Definition[],
  sourcesByText: ReadonlyMap<string, PropertySource>,
): readonly Definition[] {
  const byName = new Map(resources.map(definition => [definition.name, definition]))
  const ordered = new Set<Definition>()
  const visiting = new Set<Definition>()
  const visit = (definition: Definition): void => {
    if (ordered.has(definition) || visiting.has(definition)) return
    visiting.add(definition)
    const ownerNames = collectTexts(definition.state.inputs).flatMap(
      text => sourcesByText.get(text)?.owner ?? [],
    )
    for (const name of [
      definition.parent,
      definition.provider,
      ...definition.dependsOn,
      ...ownerNames,
    ]) {
      const dependency = byName.get(name)
      if (dependency !== undefined) visit(dependency)
    }
    ordered.add(definition)
  }
  for (const definition of resources) visit(definition)
  return [...ordered]
}

/** Returns the texts in a value that a program may replace by references. */
function collectTexts(value: PropertyValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(collectTexts)
  if (isMap(value)) return [...value.values()].flatMap(collectTexts)
  if (value === null || typeof value !== 'object') return []
  if (value.kind === 'secret') return collectTexts(value.value)
  return value.kind === 'output' ? collectTexts(value.value ?? null) : []
}
