import { parseReference } from '../../../names/provider-reference.ts'
import { nameOf, type Urn } from '../../../names/urn.ts'
import type { AnalyzedProvider, AnalyzedResource } from '../../../providers/analyzers/analyzer.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import type { DecisionInput } from '../context.ts'
import type { Candidate } from '../registration/candidate.ts'

/** The data by which resources and providers are described to policy packs. */
type PolicyInput = Pick<DecisionInput, 'sets' | 'base'>

/** The parts of a registration that policy packs judge. */
export type PolicySubject = Pick<Candidate, 'goal' | 'claim' | 'next' | 'compared'>

/** Returns a registration as policy packs see it, with these properties. */
export function toAnalyzedResource(
  input: PolicyInput,
  { next, goal }: PolicySubject,
  properties: PropertyMap,
): AnalyzedResource {
  const state = { ...next, ignoreChanges: goal.ignoreChanges, properties }
  return describeResource(input, state, reference => describeProvider(input, reference, new Map()))
}

/** Returns a state as policy packs see it. */
export function describeResource(
  { sets }: Pick<DecisionInput, 'sets'>,
  state: ResourceState & { readonly properties: PropertyMap },
  providerIn: (reference: string) => AnalyzedProvider | undefined,
): AnalyzedResource {
  const { urn, type, protect, ignoreChanges, additionalSecretOutputs, aliases } = state
  return {
    urn,
    type,
    name: nameOf(urn),
    properties: state.properties,
    options: {
      ...{ protect, ignoreChanges, additionalSecretOutputs, aliases },
      deleteBeforeReplace: sets.goals.get(urn)?.deleteBeforeReplace,
      customTimeouts: state.customTimeouts,
      parent: state.parent,
    },
    provider: providerIn(state.provider),
  }
}

/** Returns a provider as policy packs see it: of these states, this run, or the base. */
export function describeProvider(
  { sets, base }: PolicyInput,
  reference: string,
  among: ReadonlyMap<Urn, ResourceState>,
): AnalyzedProvider | undefined {
  if (reference === '') return undefined
  const { urn, id } = parseReference(reference)
  const state =
    among.get(urn) ?? sets.current.get(urn)?.state ?? findProviderInBase(base.snapshot, urn, id)
  if (state === undefined) return undefined
  return { urn, type: state.type, name: nameOf(urn), properties: state.inputs }
}
