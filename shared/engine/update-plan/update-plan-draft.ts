import type { Urn } from '../../names/urn.ts'
import type { PropertyMap } from '../../values/value.ts'
import { createPlannedDifference } from './planned-difference.ts'
import type { ProposedGoal } from './goal-violations.ts'
import { noDifference, type PlannedResource, type UpdatePlan } from './update-plan.ts'

/** The plan that a preview collects. */
export interface UpdatePlanDraft {
  /** Records the goal of a resource, the change of its inputs, and the seed of its Check calls. */
  readonly recordGoal: (
    urn: Urn,
    goal: ProposedGoal,
    inputs: {
      readonly oldValues: PropertyMap
      readonly newValues: PropertyMap
      readonly seed: Uint8Array
    },
  ) => void
  readonly recordStep: (urn: Urn, op: string) => void
  /** Records the expected outputs of a resource. Does nothing without an earlier goal or step. */
  readonly recordOutputs: (urn: Urn, outputs: PropertyMap) => void
  /** Records outputs that the program registered. Does nothing without an earlier goal. */
  readonly recordRegisteredOutputs: (
    urn: Urn,
    oldValues: PropertyMap,
    newValues: PropertyMap,
  ) => void
  readonly toPlan: () => UpdatePlan
}

const emptyPlannedResource: PlannedResource = {
  goal: undefined,
  ops: [],
  outputs: undefined,
  seed: undefined,
}

/** Creates an empty draft. */
export function createUpdatePlanDraft(): UpdatePlanDraft {
  const resources = new Map<Urn, PlannedResource>()
  const changeResource = (urn: Urn, changes: Partial<PlannedResource>): void => {
    resources.set(urn, { ...(resources.get(urn) ?? emptyPlannedResource), ...changes })
  }
  return {
    recordGoal(urn, goal, { oldValues, newValues, seed }) {
      const inputs = createPlannedDifference(oldValues, newValues)
      changeResource(urn, { goal: { ...goal, inputs, outputs: noDifference }, seed })
    },
    recordStep(urn, op) {
      changeResource(urn, { ops: [...(resources.get(urn)?.ops ?? []), op] })
    },
    recordOutputs(urn, outputs) {
      if (resources.has(urn)) changeResource(urn, { outputs })
    },
    recordRegisteredOutputs(urn, oldValues, newValues) {
      const goal = resources.get(urn)?.goal
      if (goal === undefined) return
      changeResource(urn, {
        goal: { ...goal, outputs: createPlannedDifference(oldValues, newValues) },
        outputs: newValues,
      })
    },
    toPlan: () => ({ resources }),
  }
}
