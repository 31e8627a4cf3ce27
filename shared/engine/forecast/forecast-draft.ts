import type { Forecast } from '../../records/forecast.ts'
import type { Step } from '../step.ts'
import { computeForecast } from './forecast.ts'
import { findKeptResources } from './kept-resources.ts'
import type { StepDurations } from './step-durations.ts'
import { createStepGraph, isCountedStep, type PlannedDeletes } from './step-graph.ts'

/** The steps of a preview, from which its forecast is computed at the end. */
export interface ForecastDraft {
  /** Adds the reads of a refresh. */
  readonly addReads: (steps: readonly Step[]) => void
  /** Adds the steps of one registration, in order. */
  readonly addChain: (steps: readonly Step[]) => void
  /**
   * Adds the deletes at the end of a command. `areProtectedExcluded`: whether the deletes exclude
   * protected resources and their dependencies.
   */
  readonly addDeletes: (deletes: PlannedDeletes, areProtectedExcluded: boolean) => void
  /** Resolves when the first counted step is added. Without one, it never resolves. */
  readonly firstStep: Promise<void>
  /** Reports whether no counted step was added. */
  readonly isEmpty: () => boolean
  /** Computes the forecast of all added steps. */
  readonly compute: (durations: StepDurations, parallel: number) => Forecast
}

/** Creates a draft without steps. */
export function createForecastDraft(): ForecastDraft {
  const graph = createStepGraph()
  const firstStep = Promise.withResolvers<void>()
  let isEmpty = true
  const noteSteps = (steps: readonly Step[]): void => {
    if (!isEmpty || !steps.some(isCountedStep)) return
    isEmpty = false
    firstStep.resolve()
  }
  let keptResources: ReturnType<typeof findKeptResources> = { kept: [], keptCount: 0 }
  return {
    addReads(steps) {
      graph.addReads(steps)
      noteSteps(steps)
    },
    addChain(steps) {
      graph.addChain(steps)
      noteSteps(steps)
    },
    addDeletes(deletes, areProtectedExcluded) {
      graph.addDeletes(deletes)
      noteSteps(deletes.condemned.map(({ step }) => step))
      keptResources = findKeptResources(deletes, areProtectedExcluded)
    },
    firstStep: firstStep.promise,
    isEmpty: () => isEmpty,
    compute: (durations, parallel) =>
      computeForecast({ nodes: graph.listNodes(), durations, parallel, ...keptResources }),
  }
}
