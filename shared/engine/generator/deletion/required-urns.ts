import { providerUrnOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { dependencyUrnsOf } from '../../graph/dependencies.ts'

/**
 * Returns the URNs of the resources that a state requires: its provider, parent and dependencies.
 */
export function requiredUrnsOf(state: ResourceState): readonly Urn[] {
  const provider = providerUrnOf(state.provider)
  const requiredUrns = [...dependencyUrnsOf(state), ...(provider === undefined ? [] : [provider])]
  return state.parent === '' ? requiredUrns : [...requiredUrns, state.parent]
}
