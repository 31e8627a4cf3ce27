import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { UrnClaim } from './claim-urn.ts'
import type { GeneratorContext } from '../context.ts'
import type { ResourceDriver } from '../providers/resource-driver.ts'
import type { Goal } from './goal.ts'

/** A registration on its way to a decision. */
export interface Candidate {
  readonly goal: Goal
  readonly claim: UrnClaim
  readonly driver: ResourceDriver
  /** The state to be, with checked inputs. */
  readonly next: ResourceState
  /** The goal's inputs with ignored changes put back: what is compared. */
  readonly compared: PropertyMap
  readonly seed: Uint8Array
}

/** Notes that the URN is replaced in this deployment. */
export function markReplaced(ctx: GeneratorContext, claim: UrnClaim): void {
  ctx.sets.replaces.add(claim.urn)
  ctx.sets.operated.add(claim.urn)
}

/** Whether the generator settles this kind of resource itself, without an executor. */
export function isSettledByGenerator(state: ResourceState): boolean {
  return !state.custom || isProviderType(state.type)
}
