import type { Assumptions } from './assumptions.ts'
import type { Coefficients } from './coefficients.ts'
import { operationSecondsOf, type PlannedDeployment } from './planned-deployment.ts'
import { listExceeded, type PlannedUsage, planUsage } from './usage-model.ts'

/** The plan of a deployment on AWS. */
export interface CapacityPlan extends PlannedUsage {
  readonly wallSeconds: number
  readonly peakOperations: number
  readonly peakFunctions: number
  /** Seconds that each limit and each fixed delay took, the longest first. */
  readonly bindingSeconds: readonly (readonly [limit: string, seconds: number])[]
  /** The first limit that determined the pace for at least a second, or 'none'. */
  readonly firstLimit: string
  /** The limits of a function and a table that it exceeds, with the consequence of each. */
  readonly exceeded: readonly string[]
}

/** A limit of the pace at one time, in operations a second. */
type Pace = readonly [limit: string, operationsPerSecond: number]

/** The delays that no limit causes. */
const startDelay = 'start of the generator and of the first executor'
const callDelay = 'provider calls, one wave after the other'
const waveDelay = 'store and queue, one wave after the other'
const fixedDelays: ReadonlySet<string> = new Set([startDelay, callDelay, waveDelay])

/** Length of one step of the model, in s. */
const stepSeconds = 1

/** The number of functions that an event source of SQS calls at first. */
const initialEventSourceFunctions = 5

/**
 * Plans a deployment. A wave starts when the previous one has ended. Within a wave, operations
 * start at the pace of the slowest limit. Functions are added over time, as Lambda and its event
 * sources add them, and each of them takes operations after its cold start. Pure.
 */
export function planCapacity(
  deployment: PlannedDeployment,
  coefficients: Coefficients,
  assumptions: Assumptions,
): CapacityPlan {
  const bindings = new Map<string, number>()
  const readySeconds = 2 * assumptions.coldStart.value
  let wallSeconds = readySeconds
  let firstLimit: string | undefined
  const bind = (limit: string, seconds: number): void => {
    const total = (bindings.get(limit) ?? 0) + seconds
    bindings.set(limit, total)
    if (total >= 1 && !fixedDelays.has(limit)) firstLimit ??= limit
  }
  bind(startDelay, wallSeconds)
  let [peakOperations, peakFunctions] = [0, 1]
  for (const { count, width } of deployment.waves) {
    let previousSeconds: number | undefined
    for (let waveIndex = 0; waveIndex < count; ) {
      const startedAt = wallSeconds - readySeconds
      const wave = runWave(deployment, { coefficients, assumptions, width, startedAt })
      // Waves become shorter while functions are added. After two equal waves, all later waves of
      // the group are equal too.
      const repetitions = wave.seconds === previousSeconds ? count - waveIndex : 1
      for (const [limit, seconds] of wave.bindings) bind(limit, seconds * repetitions)
      wallSeconds += wave.seconds * repetitions
      peakOperations = Math.max(peakOperations, wave.peakOperations)
      peakFunctions = Math.max(peakFunctions, wave.peakFunctions)
      previousSeconds = wave.seconds
      waveIndex += repetitions
    }
  }
  const input = { coefficients, assumptions }
  const pace = { wallSeconds, peakOperations, peakFunctions }
  return {
    ...planUsage(deployment, input, pace),
    wallSeconds,
    peakOperations: Math.round(peakOperations),
    peakFunctions: Math.ceil(peakFunctions),
    bindingSeconds: [...bindings].toSorted(([, a], [, b]) => b - a),
    firstLimit: firstLimit ?? 'none',
    exceeded: listExceeded(deployment, input, pace),
  }
}

interface WaveRun {
  readonly seconds: number
  readonly peakOperations: number
  readonly peakFunctions: number
  readonly bindings: ReadonlyMap<string, number>
}

/** Runs one wave in steps of a second. */
function runWave(
  deployment: PlannedDeployment,
  context: {
    readonly coefficients: Coefficients
    readonly assumptions: Assumptions
    readonly width: number
    /** Seconds from the end of the first executor's cold start to the start of the wave. */
    readonly startedAt: number
  },
): WaveRun {
  const { assumptions, width, startedAt } = context
  const bindings = new Map<string, number>()
  const addSeconds = (limit: string, seconds: number): void =>
    void bindings.set(limit, (bindings.get(limit) ?? 0) + seconds)
  const operationSeconds = operationSecondsOf(deployment, assumptions)
  // The last operation of a wave starts, runs, and releases the next wave over the queue.
  addSeconds(callDelay, deployment.callSeconds)
  // The executor of an operation continues with its only waiter, which needs no message.
  const hopSeconds =
    assumptions.queueHop.value * Math.min(1, context.coefficients.perStep.messages * width)
  addSeconds(waveDelay, operationSeconds - deployment.callSeconds + hopSeconds)
  let seconds = operationSeconds + hopSeconds
  let remaining = Math.max(0, width - 1)
  const functionsOf = (operations: number): number =>
    operations / assumptions.operationsPerExecutor.value + 1
  let [peakOperations, peakFunctions] = [1, functionsOf(1)]
  while (remaining > 0) {
    const paces = listPaces(deployment, context, startedAt + seconds)
    const [limit, pace] = paces.reduce((slowest, other) =>
      other[1] < slowest[1] ? other : slowest,
    )
    const duration = Math.min(stepSeconds, remaining / pace)
    remaining -= pace * duration
    if (remaining < 1e-6) remaining = 0
    seconds += duration
    addSeconds(limit, duration)
    peakOperations = Math.max(peakOperations, Math.min(width, pace * operationSeconds))
    peakFunctions = Math.max(peakFunctions, functionsOf(peakOperations))
  }
  return { seconds, peakOperations, peakFunctions, bindings }
}

/**
 * Returns the pace that each limit allows `elapsedSeconds` after the first executor is ready. The
 * later ones have the same cold start, so they are ready as long after the first one as they start.
 */
function listPaces(
  deployment: PlannedDeployment,
  {
    coefficients,
    assumptions,
  }: { readonly coefficients: Coefficients; readonly assumptions: Assumptions },
  elapsedSeconds: number,
): readonly Pace[] {
  const seconds = operationSecondsOf(deployment, assumptions)
  const { perStep } = coefficients
  const operationsPerFunction = assumptions.operationsPerExecutor.value
  const functionsOfEventSource =
    initialEventSourceFunctions + assumptions.eventSourceRamp.value * elapsedSeconds
  const functionsOfLambda = assumptions.lambdaRamp.value * elapsedSeconds
  const functionPaceOf = (functions: number): number =>
    (functions * operationsPerFunction) / seconds
  const generatorCpu =
    deployment.command === 'create'
      ? assumptions.generatorCpuCreate
      : assumptions.generatorCpuDelete
  const unlimited = Number.POSITIVE_INFINITY
  return [
    ['--parallel', deployment.parallel / seconds],
    ['executorsMax', functionPaceOf(deployment.executorsMax)],
    [
      'concurrent functions of the account',
      functionPaceOf(assumptions.lambdaConcurrency.value - 1),
    ],
    ['growth of the event source', functionPaceOf(functionsOfEventSource)],
    ['growth of Lambda', functionPaceOf(Math.max(1, functionsOfLambda))],
    ['processor of the generator', 1_000 / generatorCpu.value],
    [
      'processors of the executors',
      (deployment.executorsMax * 1_000) / assumptions.executorCpu.value,
    ],
    [
      'partition of the decision log',
      perStep.logWriteUnits === 0
        ? unlimited
        : assumptions.partitionWrites.value / perStep.logWriteUnits,
    ],
    ['writes of the table', assumptions.tableWrites.value / Math.max(perStep.writeUnits, 1e-9)],
  ]
}
