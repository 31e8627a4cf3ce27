import type { Urn } from '../../names/urn.ts'
import type { PlannedResource, UpdatePlan } from './update-plan.ts'

/** The enforcement of an update plan. It has the planned steps that have not occurred yet. */
export interface UpdatePlanGuard {
  readonly resourceOf: (urn: Urn) => PlannedResource | undefined
  /**
   * Removes the next planned step of a resource, and compares `op` with it. Returns undefined if
   * the plan allows `op`, otherwise the reason for the refusal.
   */
  readonly takeStep: (urn: Urn, op: string) => string | undefined
  /**
   * Removes the next planned step of each URN, and checks nothing. Called for steps that an earlier
   * generator run has decided and checked.
   */
  readonly skipRecorded: (urns: readonly Urn[]) => void
  /**
   * Restores the last step that `skipRecorded` removed for each URN. Called for earlier decisions
   * whose operations never began.
   */
  readonly restoreSteps: (urns: readonly Urn[]) => void
  /**
   * Returns the URNs of the resources with planned steps that did not occur. A resource does not
   * count if its only remaining step is a delete and `exists` returns false.
   */
  readonly findUnmetUrns: (exists: (urn: Urn) => boolean) => readonly Urn[]
}

/**
 * The steps that a planned step allows in its place: only steps with a smaller effect. Source:
 * docs/spec/step-generation.md#update-plans.
 */
const weakerSteps: Readonly<Record<string, readonly string[]>> = {
  create: ['same'],
  update: ['same'],
  replace: ['same', 'update'],
  'create-replacement': ['same', 'update'],
  'delete-replaced': ['same', 'update'],
}

/** Reports whether a step has at most the effect of the planned step. */
export function isWithinPlannedStep(op: string, plannedOp: string): boolean {
  return op === plannedOp || (weakerSteps[plannedOp] ?? []).includes(op)
}

/** Creates the guard of one generator run or preview. */
export function createUpdatePlanGuard({ resources }: UpdatePlan): UpdatePlanGuard {
  const remainingSteps = new Map([...resources].map(([urn, { ops }]) => [urn, [...ops]]))
  const skippedSteps = new Map<Urn, string[]>()
  return {
    resourceOf: urn => resources.get(urn),
    takeStep(urn, op) {
      const ops = remainingSteps.get(urn)
      if (ops === undefined)
        return op === 'same'
          ? undefined
          : `${op} is not allowed by the plan: no steps were expected for this resource`
      const plannedOp = ops.shift()
      if (plannedOp === undefined)
        return `${op} is not allowed by the plan: no more steps were expected for this resource`
      if (isWithinPlannedStep(op, plannedOp)) return undefined
      return `${op} is not allowed by the plan: this resource is constrained to ${plannedOp}`
    },
    skipRecorded(urns) {
      for (const urn of urns) {
        const op = remainingSteps.get(urn)?.shift()
        if (op !== undefined) skippedSteps.set(urn, [...(skippedSteps.get(urn) ?? []), op])
      }
    },
    restoreSteps(urns) {
      for (const urn of urns) {
        const op = skippedSteps.get(urn)?.pop()
        if (op !== undefined) remainingSteps.get(urn)?.unshift(op)
      }
    },
    findUnmetUrns: exists =>
      [...remainingSteps].flatMap(([urn, ops]) => {
        const isDeleteOfAbsent = ops.length === 1 && ops[0] === 'delete' && !exists(urn)
        return ops.length === 0 || isDeleteOfAbsent ? [] : [urn]
      }),
  }
}
