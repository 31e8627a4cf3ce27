import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { ResourceDriver } from '../providers/resource-driver.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { UrnClaim } from './claim-urn.ts'
import type { Goal } from './goal.ts'

/** A registration with checked inputs, before its steps are decided. */
export interface Candidate {
  readonly goal: Goal
  readonly claim: UrnClaim
  readonly driver: ResourceDriver
  /** The planned state, with checked inputs. */
  readonly next: ResourceState
  /**
   * The inputs that are compared with the old ones. Components have those of the goal, with ignored
   * changes reset. Untargeted custom resources have the old inputs, all others the checked ones.
   */
  readonly compared: PropertyMap
  readonly seed: Uint8Array
}

/** Returns the delta that marks a URN as replaced by this deployment. */
export function createReplacedDelta({ urn }: UrnClaim): SetsDelta {
  return { replaced: [urn], urnsWithStep: [urn] }
}

/** Reports whether the generator settles this kind of resource itself, without an executor. */
export function isSettledByGenerator(state: ResourceState): boolean {
  return !state.custom || isProviderType(state.type)
}
