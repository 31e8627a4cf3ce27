import type { CtyPath } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import type { BlockSchema } from '../values/schema.ts'
import { compareSemantically } from '../values/semantic-equality.ts'
import { findAttributeAtPath } from './object-shape.ts'

/** The action on an object that a plan requires. */
export type PlanAction = 'none' | 'create' | 'update' | 'replace'

/** A provider's plan for an object that is not deleted, after the checks of its flaws. */
export interface CheckedPlan {
  /** Null for a new object, and for a tainted one, which is planned like a new one. */
  readonly prior: CtyValue
  readonly planned: CtyValue
  /** The paths that `filterReplacePaths` returns. */
  readonly replacePaths: readonly CtyPath[]
  readonly isTainted: boolean
}

/**
 * Returns the action that a plan requires. An unknown part counts as a change. A write-only
 * attribute can require a replacement although both states are equal.
 */
export function decidePlanAction(block: BlockSchema, plan: CheckedPlan): PlanAction {
  const { prior, planned, replacePaths, isTainted } = plan
  if (prior.kind === 'null') return isTainted ? 'replace' : 'create'
  const isWriteOnly = (path: CtyPath): boolean =>
    findAttributeAtPath(block, path)?.isWriteOnly === true
  if (replacePaths.some(isWriteOnly)) return 'replace'
  if (compareSemantically(planned, prior) === true) return 'none'
  return replacePaths.length > 0 ? 'replace' : 'update'
}

/**
 * Reports whether the action of the final plan agrees with that of the initial plan. After an
 * initial update, the final plan may change nothing. After an initial replacement, it may create
 * the new object.
 */
export function isConsistentAction(initial: PlanAction, final: PlanAction): boolean {
  if (initial === final) return true
  return (initial === 'update' && final === 'none') || (initial === 'replace' && final === 'create')
}
