import type { CtyPath } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import type { BlockSchema } from '../values/schema.ts'
import { equalValuesOf } from '../values/semantic-equality.ts'
import { attributeAtPath } from './object-shape.ts'

/** The operation on an object that a plan requires. */
export type PlanAction = 'none' | 'create' | 'update' | 'replace'

/** A checked plan of a provider for an object that is not deleted. */
export interface CheckedPlan {
  /** Null for a new object. For a tainted one it is null, too, because it is planned anew. */
  readonly prior: CtyValue
  readonly planned: CtyValue
  /** The paths for which `filterReplacePaths` finds a reason. */
  readonly replacePaths: readonly CtyPath[]
  readonly isTainted: boolean
  /** The user requests a replacement. */
  readonly isForced: boolean
}

/**
 * Returns the operation that a plan requires. An unknown part counts as a change. A write-only
 * attribute can require a replacement although both states are equal.
 */
export function decidePlanAction(block: BlockSchema, plan: CheckedPlan): PlanAction {
  const { prior, planned, replacePaths, isTainted, isForced } = plan
  if (prior.kind === 'null') return isTainted ? 'replace' : 'create'
  const isWriteOnly = (path: CtyPath): boolean => attributeAtPath(block, path)?.isWriteOnly === true
  if (replacePaths.some(isWriteOnly)) return 'replace'
  if (equalValuesOf(planned, prior) === true) return isForced ? 'replace' : 'none'
  return isForced || replacePaths.length > 0 ? 'replace' : 'update'
}

/**
 * Reports whether the operation of the final plan is that of the initial plan. An update may turn
 * out unnecessary. The new object of a replacement is planned as a create.
 */
export function isConsistentAction(initial: PlanAction, final: PlanAction): boolean {
  if (initial === final) return true
  return (initial === 'update' && final === 'none') || (initial === 'replace' && final === 'create')
}
