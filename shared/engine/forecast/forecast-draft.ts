import type { Forecast } from '../../records/forecast.ts'
import type { Step } from '../step.ts'
import { computeForecast } from './forecast.ts'
import { findKeptResources } from './kept-resources.ts'
import type { StepDurations } from './step-durations.ts'
import { createStepGraph, type PlannedDeletes } from './step-graph.ts'

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
  /** Computes the forecast of all added steps. */
  readonly compute: (durations: StepDurations, parallel: number) => Forecast
}

/** Creates a draft without steps. */
export function createForecastDraft(): ForecastDraft {
  const graph = createStepGraph()
  let keptResources: ReturnType<typeof findKeptResources> = { kept: [], keptCount: 0 }
  return {
    addReads: graph.addReads,
    addChain: graph.addChain,
    addDeletes(deletes, areProtectedExcluded) {
      graph.addDeletes(deletes)
      keptResources = findKeptResources(deletes, areProtectedExcluded)
    },
    compute: (durations, parallel) =>
      computeForecast({ nodes: graph.listNodes(), durations, parallel, ...keptResources }),
  }
}
