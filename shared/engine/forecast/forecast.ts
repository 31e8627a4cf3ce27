import type { EstimateSource, Forecast, ForecastStep } from '../../records/forecast.ts'
import { type ScheduledNode, scheduleNodes } from './schedule.ts'
import { type DurationEstimate, estimateDuration, type StepDurations } from './step-durations.ts'
import { isCountedStep, type StepNode } from './step-graph.ts'

/** Maximum number of waves, and of steps of the critical path, in a forecast. */
const listMax = 50

/** The input of a forecast. `parallel`: the maximum number of concurrent provider calls. */
export interface ForecastInput extends Pick<Forecast, 'parallel' | 'kept' | 'keptCount'> {
  readonly nodes: readonly StepNode[]
  readonly durations: StepDurations
}

/**
 * Computes the forecast of a graph of steps. Pure.
 */
export function computeForecast(input: ForecastInput): Forecast {
  const { nodes, durations, kept, keptCount } = input
  const { overheadMs } = durations
  const parallel = Math.max(1, input.parallel)
  const nodeEstimates = nodes.map(({ step }) =>
    step === undefined ? undefined : estimateDuration(step, durations),
  )
  const scheduledNodes = nodes.map(
    ({ step, needs }, index): ScheduledNode => ({
      needs,
      durationMs: nodeEstimates[index]?.ms ?? 0,
      isCounted: step !== undefined && isCountedStep(step),
    }),
  )
  const schedule = scheduleNodes(scheduledNodes, parallel)
  const { waves, criticalPath } = schedule
  return {
    parallel,
    steps: waves.reduce((sum, width) => sum + width, 0),
    waves: waves.slice(0, listMax),
    waveCount: waves.length,
    width: waves.reduce((widest, width) => Math.max(widest, width), 0),
    criticalPath: {
      ms: Math.round(schedule.criticalPathMs),
      stepCount: criticalPath.length,
      steps: criticalPath
        .slice(0, listMax)
        .flatMap(index => toForecastSteps(nodes[index], nodeEstimates[index])),
    },
    workMs: Math.round(schedule.workMs),
    wallMs: Math.round(schedule.wallMs),
    ...(overheadMs === undefined ? {} : { overheadMs: Math.round(overheadMs) }),
    estimates: countSources(nodeEstimates),
    kept,
    keptCount,
  }
}

function toForecastSteps(
  node: StepNode | undefined,
  estimate: DurationEstimate | undefined,
): readonly ForecastStep[] {
  if (node?.step === undefined || estimate === undefined) return []
  const { op, urn } = node.step
  return [{ op, urn, ms: Math.round(estimate.ms), source: estimate.source }]
}

function countSources(
  estimates: readonly (DurationEstimate | undefined)[],
): Readonly<Partial<Record<EstimateSource, number>>> {
  const counts: Partial<Record<EstimateSource, number>> = {}
  for (const estimate of estimates)
    if (estimate !== undefined) counts[estimate.source] = (counts[estimate.source] ?? 0) + 1
  return counts
}
