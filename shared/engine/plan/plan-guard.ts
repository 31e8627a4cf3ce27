import type { Urn } from '../../names/urn.ts'
import type { PlannedResource, UpdatePlan } from './update-plan.ts'

/** Enforces an update plan: keeps the planned steps that have not occurred yet. */
export interface PlanGuard {
  readonly resourceOf: (urn: Urn) => PlannedResource | undefined
  /** Takes the next planned step of a resource. Returns the reason when the step is not allowed. */
  readonly take: (urn: Urn, op: string) => string | undefined
  /** Takes steps that an earlier generator run decided, without a check: that run checked them. */
  readonly skipRecorded: (urns: readonly Urn[]) => void
  /** Restores the steps taken for decisions of an earlier generator run that never began. */
  readonly restoreSteps: (urns: readonly Urn[]) => void
  /**
   * Returns the resources with planned steps that did not occur. A single planned delete of an
   * absent resource does not count.
   */
  readonly findUnmet: (exists: (urn: Urn) => boolean) => readonly Urn[]
}

/**
 * The steps that a planned step allows besides itself: none with a larger effect. Source:
 * docs/spec/step-generation.md#update-plans.
 */
const alsoAdmitted: Readonly<Record<string, readonly string[]>> = {
  create: ['same'],
  update: ['same'],
  replace: ['same', 'update'],
  'create-replacement': ['same', 'update'],
  'delete-replaced': ['same', 'update'],
}

/** Reports whether a step has at most the effect of the planned one. */
export function isNoMore(op: string, planned: string): boolean {
  return op === planned || (alsoAdmitted[planned] ?? []).includes(op)
}

/** Creates the guard of one run. */
export function createPlanGuard({ resources }: UpdatePlan): PlanGuard {
  const left = new Map([...resources].map(([urn, { ops }]) => [urn, [...ops]]))
  const passed = new Map<Urn, string[]>()
  return {
    resourceOf: urn => resources.get(urn),
    take(urn, op) {
      const ops = left.get(urn)
      if (ops === undefined)
        return op === 'same'
          ? undefined
          : `${op} is not allowed by the plan: no steps were expected for this resource`
      const planned = ops.shift()
      if (planned === undefined)
        return `${op} is not allowed by the plan: no more steps were expected for this resource`
      if (isNoMore(op, planned)) return undefined
      return `${op} is not allowed by the plan: this resource is constrained to ${planned}`
    },
    skipRecorded(urns) {
      for (const urn of urns) {
        const op = left.get(urn)?.shift()
        if (op !== undefined) passed.set(urn, [...(passed.get(urn) ?? []), op])
      }
    },
    restoreSteps(urns) {
      for (const urn of urns) {
        const op = passed.get(urn)?.pop()
        if (op !== undefined) left.get(urn)?.unshift(op)
      }
    },
    findUnmet: exists =>
      [...left].flatMap(([urn, ops]) => {
        const isGone = ops.length === 1 && ops[0] === 'delete' && !exists(urn)
        return ops.length === 0 || isGone ? [] : [urn]
      }),
  }
}
