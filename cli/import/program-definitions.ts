import {
  parseProviderReference,
  isDefaultProviderName,
} from '../../shared/names/provider-reference.ts'
import { nameOf, stackType, typeOf, type Urn } from '../../shared/names/urn.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import { isList, isMap, type PropertyValue } from '../../shared/values/value.ts'

/** A resource of a generated program. */
export interface Definition {
  readonly state: ResourceState
  /** A legal name in the language. */
  readonly name: string
  /** Names of other resources, '' for none. */
  readonly parent: string
  readonly provider: string
  readonly dependsOn: readonly string[]
}

/** The source of a literal value: the name of a resource, and one of its properties. */
export interface Literal {
  readonly owner: string
  readonly property: string
}

/** The contents of a generated program. */
export interface Definitions {
  /** Each resource comes after the resources to which it refers, except in cycles. */
  readonly resources: readonly Definition[]
  /** Texts that are the id, `name` or `arn` of exactly one resource. */
  readonly literals: ReadonlyMap<string, Literal>
}

/** The naming rules of a language. */
export interface NamingRules {
  readonly toLegalName: (name: string) => string
  readonly reservedNames: readonly string[]
}

/**
 * Returns the definitions of imported resources for a program. `names`: the names of these and
 * other resources. `toLegalName` converts a name for the language, and `reservedNames` lists names
 * with another meaning. A parent or provider without a name is omitted.
 */
export function definitionsOf(
  states: readonly ResourceState[],
  names: ReadonlyMap<Urn, string>,
  naming: NamingRules,
): Definitions {
  const nameByUrn = assignLegalNames(states, names, naming)
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
  const literals = findLiterals(resources)
  return { resources: sortByReferences(resources, literals), literals }
}

function assignLegalNames(
  states: readonly ResourceState[],
  names: ReadonlyMap<Urn, string>,
  { toLegalName, reservedNames }: NamingRules,
): ReadonlyMap<Urn, string> {
  const usedNames = new Set(reservedNames)
  const nameByUrn = new Map<Urn, string>()
  const proposedNames = new Map(names)
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

function findLiterals(resources: readonly Definition[]): ReadonlyMap<string, Literal> {
  const literals = new Map<string, Literal>()
  const ambiguousTexts = new Set<string>()
  const addLiteral = (text: unknown, literal: Literal): void => {
    if (typeof text !== 'string' || text === '') return
    if (literals.has(text) && literals.get(text)?.owner !== literal.owner) ambiguousTexts.add(text)
    else if (!literals.has(text)) literals.set(text, literal)
  }
  for (const { state, name } of resources) {
    if (!state.custom) continue
    addLiteral(state.id, { owner: name, property: 'id' })
    for (const property of ['name', 'arn'])
      addLiteral(state.outputs.get(property), { owner: name, property })
  }
  for (const text of ambiguousTexts) literals.delete(text)
  return literals
}

/** Orders resources after those they refer to, except in cycles. */
function sortByReferences(
  resources: readonly Definition[],
  literals: ReadonlyMap<string, Literal>,
): readonly Definition[] {
  const byName = new Map(resources.map(definition => [definition.name, definition]))
  const ordered = new Set<Definition>()
  const visiting = new Set<Definition>()
  const visit = (definition: Definition): void => {
    if (ordered.has(definition) || visiting.has(definition)) return
    visiting.add(definition)
    const texts = collectTexts(definition.state.inputs).flatMap(
      text => literals.get(text)?.owner ?? [],
    )
    for (const name of [
      definition.parent,
      definition.provider,
      ...definition.dependsOn,
      ...texts,
    ]) {
      const dependency = byName.get(name)
      if (dependency !== undefined) visit(dependency)
    }
    ordered.add(definition)
  }
  for (const definition of resources) visit(definition)
  return [...ordered]
}

function collectTexts(value: PropertyValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(collectTexts)
  if (isMap(value)) return [...value.values()].flatMap(collectTexts)
  return []
}
