import { parseProviderReference } from '../../../names/provider-reference.ts'
import { nameOf, type Urn } from '../../../names/urn.ts'
import type { AnalyzedProvider, AnalyzedResource } from '../../../providers/analyzers/analyzer.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import type { DecisionInput } from '../context.ts'
import type { Candidate } from '../registration/candidate.ts'

/** The data from which resources and providers are described to policy packs. */
type PolicyInput = Pick<DecisionInput, 'sets' | 'base'>

/** The parts of a registration that policy packs judge. */
export type PolicySubject = Pick<Candidate, 'goal' | 'claim' | 'next' | 'compared'>

/** Converts a registration for policy packs, with these properties. */
export function toAnalyzedResource(
  input: PolicyInput,
  { next, goal }: PolicySubject,
  properties: PropertyMap,
): AnalyzedResource {
  const state = { ...next, ignoreChanges: goal.ignoreChanges, properties }
  return describeResource(input, state, reference => describeProvider(input, reference, new Map()))
}

/** Converts a state for policy packs. `findProvider`: returns the provider of a reference. */
export function describeResource(
  { sets }: Pick<DecisionInput, 'sets'>,
  state: ResourceState & { readonly properties: PropertyMap },
  findProvider: (reference: string) => AnalyzedProvider | undefined,
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
    provider: findProvider(state.provider),
  }
}

/**
 * Converts a provider for policy packs. The provider is looked up in these states, then in this
 * run, then in the base.
 */
export function describeProvider(
  { sets, base }: PolicyInput,
  reference: string,
  statesByUrn: ReadonlyMap<Urn, ResourceState>,
): AnalyzedProvider | undefined {
  if (reference === '') return undefined
  const { urn, id } = parseProviderReference(reference)
  const state =
    statesByUrn.get(urn) ??
    sets.currentStates.get(urn)?.state ??
    findProviderInBase(base.snapshot, urn, id)
  if (state === undefined) return undefined
  return { urn, type: state.type, name: nameOf(urn), properties: state.inputs }
}
