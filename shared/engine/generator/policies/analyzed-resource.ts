import { parseProviderReference } from '../../../names/provider-reference.ts'
import { nameOf, type Urn } from '../../../names/urn.ts'
import type { AnalyzedProvider, AnalyzedResource } from '../../../providers/analyzers/analyzer.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { findProviderInBase } from '../../deployment/state/base.ts'
import type { DecisionInput } from '../context.ts'
import type { CheckedRegistration } from '../registration/checked-registration.ts'

/** The data from which resources and providers are described to policy packs. */
type PolicyInput = Pick<DecisionInput, 'sets' | 'base'>

/** The parts of a registration that policy packs check. */
export type AnalyzedRegistration = Pick<
  CheckedRegistration,
  'goal' | 'assignment' | 'next' | 'comparedInputs'
>

/**
 * Converts a registration to the form that policy packs receive, with `properties` as its inputs.
 */
export function toAnalyzedResource(
  input: PolicyInput,
  { next, goal }: AnalyzedRegistration,
  properties: PropertyMap,
): AnalyzedResource {
  const state = { ...next, ignoreChanges: goal.ignoreChanges, properties }
  return describeResource(input, state, reference => describeProvider(input, reference, new Map()))
}

/**
 * Converts a state to the form that policy packs receive. `findProvider`: returns the provider of a
 * reference.
 */
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
      protect,
      ignoreChanges,
      additionalSecretOutputs,
      aliases,
      deleteBeforeReplace: sets.goals.get(urn)?.deleteBeforeReplace,
      customTimeouts: state.customTimeouts,
      parent: state.parent,
    },
    provider: findProvider(state.provider),
  }
}

/**
 * Converts a provider to the form that policy packs receive. Looks the provider up in
 * `statesByUrn`, then in the sets, then in the base.
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
