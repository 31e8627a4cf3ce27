import { costOf, noCounts } from '../../test/aws/counts.ts'
import type { Assumptions } from './assumptions.ts'
import {
  type Coefficients,
  combineCounts,
  type PlannedCommand,
  type RequestCounts,
} from './coefficients.ts'
import type { WaveGroup } from './shapes.ts'

/** The deployment that a plan is for. */
export interface PlannedDeployment {
  readonly command: PlannedCommand
  readonly resources: number
  readonly waves: readonly WaveGroup[]
  /** Duration of one provider call, in s. */
  readonly callSeconds: number
  /** The option `--parallel`. */
  readonly parallel: number
  /** The setting of the installation with this name. */
  readonly executorsMax: number
}

/** The plan of a deployment on AWS. */
export interface CapacityPlan {
  readonly wallSeconds: number
  readonly peakOperations: number
  readonly peakFunctions: number
  readonly requests: RequestCounts
  /** US dollars. */
  readonly cost: number
  /** Seconds that each limit and each fixed delay took, the longest first. */
  readonly bindingSeconds: readonly (readonly [limit: string, seconds: number])[]
  /** The first limit that determined the pace for at least a second, or 'none'. */
  readonly firstLimit: string
  /** The limits of a function that the deployment exceeds, with the consequence of each. */
  readonly exceeded: readonly string[]
}

/** A limit of the pace at one time, in operations a second. */
type Pace = readonly [limit: string, operationsPerSecond: number]

/** The delays that no limit causes. */
const startDelay = 'start of the first function'
const callDelay = 'provider calls, one wave after the other'
const waveDelay = 'store and queue, one wave after the other'
const fixedDelays: ReadonlySet<string> = new Set([startDelay, callDelay, waveDelay])

/** Length of one step of the model, in s. */
const stepSeconds = 1

/** The number of functions that an event source of SQS calls at first. */
const initialEventSourceFunctions = 5

/** Requests to the store of one operation, one after another: begin, control read, outcome, end. */
const storeRequestsPerOperation = 4

/**
 * Plans a deployment. A wave starts when the previous one has ended. Within a wave, operations
 * start at the pace of the slowest limit. Functions are added over time, as Lambda and its event
 * sources add them. Pure.
 */
export function planCapacity(
  deployment: PlannedDeployment,
  coefficients: Coefficients,
  assumptions: Assumptions,
): CapacityPlan {
  const bindings = new Map<string, number>()
  let wallSeconds = assumptions.coldStart.value
  let firstLimit: string | undefined
  const bind = (limit: string, seconds: number): void => {
    const total = (bindings.get(limit) ?? 0) + seconds
    bindings.set(limit, total)
    if (total >= 1 && !fixedDelays.has(limit)) firstLimit ??= limit
  }
  bind(startDelay, wallSeconds)
  let [peakOperations, peakFunctions] = [0, 1]
  for (const { count, width } of deployment.waves) {
    // The other waves of the group have the same width, and therefore count like its first wave.
    const wave = runWave(deployment, { coefficients, assumptions, width, startedAt: wallSeconds })
    for (const [limit, seconds] of wave.bindings) bind(limit, seconds * count)
    wallSeconds += wave.seconds * count
    peakOperations = Math.max(peakOperations, wave.peakOperations)
    peakFunctions = Math.max(peakFunctions, wave.peakFunctions)
  }
  const requests = combineCounts(
    coefficients.fixed,
    coefficients.perStep,
    (fixed, perStep) => fixed + perStep * deployment.resources,
  )
  const messages = messagesOf(deployment, requests, assumptions)
  return {
    wallSeconds,
    peakOperations: Math.round(peakOperations),
    peakFunctions: Math.ceil(peakFunctions),
    requests: { ...requests, messages },
    cost: costOfPlan(deployment, { requests, messages, wallSeconds, assumptions }),
    bindingSeconds: [...bindings].toSorted(([, a], [, b]) => b - a),
    firstLimit: firstLimit ?? 'none',
    exceeded: listExceeded(deployment, assumptions, wallSeconds),
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
  let [peakOperations, peakFunctions] = [1, 1]
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
    peakFunctions = Math.max(
      peakFunctions,
      peakOperations / assumptions.operationsPerExecutor.value + 1,
    )
  }
  return { seconds, peakOperations, peakFunctions, bindings }
}

/** Returns how long one operation occupies its slot: the provider call and the store requests. */
function operationSecondsOf(
  { callSeconds }: PlannedDeployment,
  { storeLatency }: Assumptions,
): number {
  return callSeconds + storeRequestsPerOperation * storeLatency.value
}

/** Returns the pace that each limit allows `elapsedSeconds` after the start of the deployment. */
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

/**
 * Returns the number of messages of a deployment. On AWS, operations that become ready together
 * share messages. Measured operations share none, so the measured number of messages is an upper
 * bound.
 */
function messagesOf(
  { resources, waves }: PlannedDeployment,
  requests: RequestCounts,
  { operationsPerMessage }: Assumptions,
): number {
  const waveCount = waves.reduce((total, { count }) => total + count, 0)
  const sharedMessages = Math.max(waveCount, resources / operationsPerMessage.value)
  return Math.ceil(Math.min(Math.max(requests.messages, 1), sharedMessages))
}

/**
 * Returns the cost in US dollars. The generator is billed for the whole deployment, and executors
 * for the time in which they have operations.
 */
function costOfPlan(
  deployment: PlannedDeployment,
  plan: {
    readonly requests: RequestCounts
    readonly messages: number
    readonly wallSeconds: number
    readonly assumptions: Assumptions
  },
): number {
  const { requests, messages, wallSeconds, assumptions } = plan
  const operationsTogether = Math.min(
    assumptions.operationsPerMessage.value,
    deployment.resources / messages,
  )
  const operationSeconds = operationSecondsOf(deployment, assumptions)
  const executorSeconds = (deployment.resources * operationSeconds) / operationsTogether
  const { writeUnits, readUnits, puts, gets } = requests
  return costOf({
    ...noCounts,
    writeUnits,
    readUnits,
    puts,
    gets,
    messages,
    calls: messages + 1,
    gbSeconds: (wallSeconds + executorSeconds) * assumptions.memoryGb.value,
  })
}

/** Returns the limits of a function that the deployment exceeds, with the consequence of each. */
function listExceeded(
  { command, resources, callSeconds }: PlannedDeployment,
  assumptions: Assumptions,
  wallSeconds: number,
): readonly string[] {
  const memoryMb =
    assumptions.memoryBase.value + (resources * assumptions.memoryPerResource.value) / 1_024
  const { functionMemoryMax, functionLimit } = assumptions
  return [
    ...(memoryMb > functionMemoryMax.value
      ? [
          `the generator needs ${Math.ceil(memoryMb)} MB, but a function has at most ${functionMemoryMax.value}`,
        ]
      : []),
    ...(callSeconds > functionLimit.value
      ? ['a call takes longer than a function may run, so the long pool runs it']
      : []),
    ...(wallSeconds > functionLimit.value
      ? [
          command === 'create'
            ? 'the generator outlives a function: it hands over, and its program runs again each time'
            : 'the generator outlives a function, so it hands over',
        ]
      : []),
  ]
}
