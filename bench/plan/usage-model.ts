import { costOf, noCounts } from '../../test/aws/counts.ts'
import type { Assumptions } from './assumptions.ts'
import { type Coefficients, combineCounts, type RequestCounts } from './coefficients.ts'
import { operationSecondsOf, type PlannedDeployment } from './planned-deployment.ts'

/** The billed usage of a planned deployment. */
export interface PlannedUsage {
  readonly requests: RequestCounts
  /** Calls of functions: one for each message, and those that continue after a hand-over. */
  readonly functionCalls: number
  /** Functions that start: the generator, and the executors at the peak. */
  readonly coldStarts: number
  /** US dollars. */
  readonly cost: number
}

/** The measured requests of a command, and the assumptions. */
export interface ModelInput {
  readonly coefficients: Coefficients
  readonly assumptions: Assumptions
}

/** The results of the model that determine the usage. */
interface PlannedPace {
  readonly wallSeconds: number
  readonly peakOperations: number
  readonly peakFunctions: number
}

/**
 * Plans the billed usage of a deployment. The generator is billed for the whole deployment.
 * Executors are billed for the time in which they have operations, and for their cold starts. Pure.
 */
export function planUsage(
  deployment: PlannedDeployment,
  { coefficients, assumptions }: ModelInput,
  { wallSeconds, peakFunctions }: PlannedPace,
): PlannedUsage {
  const { resources, waves } = deployment
  const { coldStart, functionLimit, memoryGb, operationsPerMessage } = assumptions
  const measuredRequests = combineCounts(
    coefficients.fixed,
    coefficients.perStep,
    (fixed, perStep) => fixed + perStep * resources,
  )
  const waveCount = waves.reduce((total, { count }) => total + count, 0)
  // On AWS, operations that become ready together share messages. Measured operations share none,
  // so the measured number of messages is an upper bound.
  const sharedMessages = Math.max(waveCount, resources / operationsPerMessage.value)
  const messages = Math.ceil(Math.min(Math.max(measuredRequests.messages, 1), sharedMessages))
  const requests = { ...measuredRequests, messages }
  // The operations of different waves never run together.
  const operationsTogether = Math.min(
    operationsPerMessage.value,
    resources / messages,
    resources / waveCount,
  )
  const executorSeconds =
    (resources * operationSecondsOf(deployment, assumptions)) / operationsTogether
  const executorCalls = Math.max(messages, Math.ceil(executorSeconds / functionLimit.value))
  const functionCalls = executorCalls + Math.ceil(wallSeconds / functionLimit.value)
  const coldStarts = Math.ceil(peakFunctions)
  // The time of the deployment contains the cold start of the generator.
  const functionSeconds = wallSeconds + executorSeconds + (coldStarts - 1) * coldStart.value
  const { writeUnits, readUnits, puts, gets } = requests
  const cost = costOf({
    ...noCounts,
    ...{ writeUnits, readUnits, puts, gets, messages },
    calls: functionCalls,
    gbSeconds: functionSeconds * memoryGb.value,
  })
  return { requests, functionCalls, coldStarts, cost }
}

/**
 * Returns the limits of a function and of a new table that the deployment exceeds, with the
 * consequence of each. Pure.
 */
export function listExceeded(
  deployment: PlannedDeployment,
  { coefficients, assumptions }: ModelInput,
  { wallSeconds, peakOperations }: PlannedPace,
): readonly string[] {
  const { command, resources, callSeconds } = deployment
  const memoryMib =
    assumptions.memoryBase.value + (resources * assumptions.memoryPerResource.value) / 1_024
  const { functionMemoryMax, functionLimit, warmWrites } = assumptions
  const operationsPerSecond = peakOperations / operationSecondsOf(deployment, assumptions)
  const writesPerSecond = Math.ceil(operationsPerSecond * coefficients.perStep.writeUnits)
  return [
    ...(memoryMib > functionMemoryMax.value
      ? [
          `the generator needs ${Math.ceil(memoryMib)} MiB, but a function has at most ${functionMemoryMax.value}`,
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
    ...(writesPerSecond > warmWrites.value
      ? [
          `the table needs ${writesPerSecond} write units/s, but a new one accepts ${warmWrites.value} at first: it refuses writes, which are retried, until DynamoDB has adapted`,
        ]
      : []),
  ]
}
