import { isProviderType } from '../../names/provider-reference.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { Claim } from './claim.ts'
import type { GeneratorContext } from './context.ts'
import type { Driver } from './driver.ts'
import type { Goal } from './goal.ts'

/** A registration on its way to a decision. */
export interface Candidate {
  readonly goal: Goal
  readonly claim: Claim
  readonly driver: Driver
  /** The state to be, with checked inputs. */
  readonly next: ResourceState
  /** The goal's inputs with ignored changes put back: what is compared. */
  readonly compared: PropertyMap
  readonly seed: Uint8Array
}

/** Notes that the URN is replaced in this deployment. */
export function markReplaced(ctx: GeneratorContext, claim: Claim): void {
  ctx.sets.replaces.add(claim.urn)
  ctx.sets.operated.add(claim.urn)
}

/** Whether the generator settles this kind of resource itself, without an executor. */
export function isSettledHere(state: ResourceState): boolean {
  return !state.custom || isProviderType(state.type)
}
