import type { Urn } from '../../names/urn.ts'
import type { PropertyMap } from '../../values/value.ts'
import { differenceToPlan } from './planned-difference.ts'
import type { ProposedGoal } from './goal-check.ts'
import { noDifference, type PlannedResource, type UpdatePlan } from './update-plan.ts'

/** A plan while a preview draws it. */
export interface PlanDraft {
  /** Notes what a resource is to be, from which inputs to which. */
  readonly goal: (
    urn: Urn,
    goal: ProposedGoal,
    about: { readonly olds: PropertyMap; readonly news: PropertyMap; readonly seed: Uint8Array },
  ) => void
  readonly step: (urn: Urn, op: string) => void
  /** Notes what a resource would be. */
  readonly outputs: (urn: Urn, outputs: PropertyMap) => void
  /** Notes outputs that the program registered. */
  readonly registered: (urn: Urn, olds: PropertyMap, news: PropertyMap) => void
  readonly plan: () => UpdatePlan
}

const nothing: PlannedResource = {
  goal: undefined,
  ops: [],
  outputs: undefined,
  seed: undefined,
}

/** Begins a plan. */
export function createPlanDraft(): PlanDraft {
  const resources = new Map<Urn, PlannedResource>()
  const change = (urn: Urn, changed: Partial<PlannedResource>): void => {
    resources.set(urn, { ...(resources.get(urn) ?? nothing), ...changed })
  }
  return {
    goal(urn, goal, { olds, news, seed }) {
      const inputs = differenceToPlan(olds, news)
      change(urn, { goal: { ...goal, inputs, outputs: noDifference }, seed })
    },
    step(urn, op) {
      change(urn, { ops: [...(resources.get(urn)?.ops ?? []), op] })
    },
    outputs(urn, outputs) {
      if (resources.has(urn)) change(urn, { outputs })
    },
    registered(urn, olds, news) {
      const goal = resources.get(urn)?.goal
      if (goal === undefined) return
      change(urn, { goal: { ...goal, outputs: differenceToPlan(olds, news) }, outputs: news })
    },
    plan: () => ({ resources }),
  }
}
