import { parseReference, isDefaultProviderName } from '../../shared/names/provider-reference.ts'
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

/** A value by which other resources can refer to a resource: its name and the property. */
export interface Literal {
  readonly owner: string
  readonly property: string
}

/** The contents of a generated program. */
export interface Definitions {
  /** Each resource comes after those it refers to. */
  readonly resources: readonly Definition[]
  /** Texts that are the id, `name` or `arn` of exactly one resource. */
  readonly literals: ReadonlyMap<string, Literal>
}

/** The naming rules of a language. */
export interface NamingRules {
  readonly toLegalName: (name: string) => string
  readonly taken: readonly string[]
}

/**
 * Returns the definitions of imported resources for a program. `names`: the names of these and
 * other resources. `toLegalName` converts a name for the language, and `taken` lists names with
 * another meaning. A parent or provider without a name is omitted.
 */
export function definitionsOf(
  states: readonly ResourceState[],
  names: ReadonlyMap<Urn, string>,
  naming: NamingRules,
): Definitions {
  const nameByUrn = assignLegalNames(states, names, naming)
  const resources = states.map((state): Definition => {
    const provider = state.provider === '' ? undefined : parseReference(state.provider).urn
    const isNamed = provider !== undefined && !isDefaultProviderName(nameOf(provider))
    const isBelow = state.parent !== '' && typeOf(state.parent) !== stackType
    return {
      state,
      name: nameByUrn.get(state.urn) ?? '',
      parent: isBelow ? (nameByUrn.get(state.parent) ?? '') : '',
      provider: isNamed ? (nameByUrn.get(provider) ?? '') : '',
      dependsOn: state.dependencies.flatMap(urn => nameByUrn.get(urn) ?? []),
    }
  })
  const literals = findLiterals(resources)
  return { resources: sortByReferences(resources, literals), literals }
}

function assignLegalNames(
  states: readonly ResourceState[],
  names: ReadonlyMap<Urn, string>,
  { toLegalName, taken }: NamingRules,
): ReadonlyMap<Urn, string> {
  const used = new Set(taken)
  const nameByUrn = new Map<Urn, string>()
  const proposed = new Map(names)
  for (const { urn } of states) if (!proposed.has(urn)) proposed.set(urn, nameOf(urn))
  for (const [urn, name] of proposed) {
    const first = toLegalName(name)
    let chosen = first
    for (let count = 2; used.has(chosen); count += 1) chosen = `${first}${count}`
    used.add(chosen)
    nameByUrn.set(urn, chosen)
  }
  return nameByUrn
}

function findLiterals(resources: readonly Definition[]): ReadonlyMap<string, Literal> {
  const found = new Map<string, Literal>()
  const twice = new Set<string>()
  const note = (text: unknown, literal: Literal): void => {
    if (typeof text !== 'string' || text === '') return
    if (found.has(text) && found.get(text)?.owner !== literal.owner) twice.add(text)
    else if (!found.has(text)) found.set(text, literal)
  }
  for (const { state, name } of resources) {
    if (!state.custom) continue
    note(state.id, { owner: name, property: 'id' })
    for (const property of ['name', 'arn'])
      note(state.outputs.get(property), { owner: name, property })
  }
  for (const text of twice) found.delete(text)
  return found
}

/** Orders resources after those they refer to, except in cycles. */
function sortByReferences(
  resources: readonly Definition[],
  literals: ReadonlyMap<string, Literal>,
): readonly Definition[] {
  const byName = new Map(resources.map(one => [one.name, one]))
  const done = new Set<Definition>()
  const open = new Set<Definition>()
  const visit = (one: Definition): void => {
    if (done.has(one) || open.has(one)) return
    open.add(one)
    const texts = collectTexts(one.state.inputs).flatMap(text => literals.get(text)?.owner ?? [])
    for (const name of [one.parent, one.provider, ...one.dependsOn, ...texts]) {
      const other = byName.get(name)
      if (other !== undefined) visit(other)
    }
    done.add(one)
  }
  for (const one of resources) visit(one)
  return [...done]
}

function collectTexts(value: PropertyValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(collectTexts)
  if (isMap(value)) return [...value.values()].flatMap(collectTexts)
  return []
}
