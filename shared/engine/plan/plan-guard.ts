import type { Urn } from '../../names/urn.ts'
import type { PlannedResource, UpdatePlan } from './update-plan.ts'

/** What holds a run to a plan: which of the planned steps are still to come. */
export interface PlanGuard {
  readonly resourceOf: (urn: Urn) => PlannedResource | undefined
  /** Takes the next planned step of a resource; says why the step may not be it. */
  readonly take: (urn: Urn, op: string) => string | undefined
  /** Takes steps that an earlier life decided, without a look: they were admitted then. */
  readonly skipRecorded: (urns: readonly Urn[]) => void
  /** Puts back what was taken for steps that an earlier life decided and nobody began. */
  readonly restoreSteps: (urns: readonly Urn[]) => void
  /**
   * Resources of which steps were planned that nobody took. A delete alone of what does not exist
   * is none.
   */
  readonly findUnmet: (exists: (urn: Urn) => boolean) => readonly Urn[]
}

/**
 * What a planned step admits besides itself: nothing that does more. Source:
 * docs/spec/step-generation.md#update-plans.
 */
const alsoAdmitted: Readonly<Record<string, readonly string[]>> = {
  create: ['same'],
  update: ['same'],
  replace: ['same', 'update'],
  'create-replacement': ['same', 'update'],
  'delete-replaced': ['same', 'update'],
}

/** Whether a step does no more than the planned one. */
export function isNoMore(op: string, planned: string): boolean {
  return op === planned || (alsoAdmitted[planned] ?? []).includes(op)
}

/** Makes the guard of one run. */
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
