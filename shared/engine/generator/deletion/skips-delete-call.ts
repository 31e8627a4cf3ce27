import { isProviderType } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'

/**
 * Reports whether the delete of a state needs no provider call. This is so for a resource that does
 * not exist in the cloud, is external or retained, or is deleted with another one.
 */
export function skipsDeleteCall(state: ResourceState, isDeleted: (urn: Urn) => boolean): boolean {
  if (!state.custom || state.external || state.retainOnDelete || isProviderType(state.type))
    return true
  return state.deletedWith !== '' && isDeleted(state.deletedWith)
}
