import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { ResourceDriver } from '../providers/resource-driver.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { UrnAssignment } from './assign-urn.ts'
import type { Goal } from './goal.ts'

/** A registration with checked inputs. Its steps are not decided yet. */
export interface CheckedRegistration {
  readonly goal: Goal
  readonly assignment: UrnAssignment
  readonly driver: ResourceDriver
  /** The planned state, with checked inputs. */
  readonly next: ResourceState
  /**
   * The inputs that are compared with the old inputs. For a component: the inputs of the goal, with
   * ignored changes reset. For an untargeted custom resource: the old inputs. For others: the
   * checked inputs.
   */
  readonly comparedInputs: PropertyMap
  /** The random bytes from which Check derives names. */
  readonly seed: Uint8Array
}

/** Returns the delta that marks the resource of a URN as replaced in this deployment. */
export function createReplacedDelta({ urn }: UrnAssignment): SetsDelta {
  return { replaced: [urn], handledUrns: [urn] }
}

/** Reports whether the generator settles this kind of resource itself, without an executor. */
export function isSettledByGenerator(state: ResourceState): boolean {
  return !state.custom || isProviderType(state.type)
}
