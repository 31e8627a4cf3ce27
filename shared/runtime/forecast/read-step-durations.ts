import { limits } from '../../config/limits.ts'
import { listExecutedOperations, readPlanPage } from '../../engine/deployment/log/log-view.ts'
import { timedCallOf } from '../../engine/executor/duration-key.ts'
import {
  type DurationSample,
  measureUncoveredMs,
  type StepDurations,
  summarizeDurations,
} from '../../engine/forecast/step-durations.ts'
import { hasCode } from '../../errors/error.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { DeploymentId, LogNumber, StackId } from '../../records/ids.ts'
import type { Command, LogRecord } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import { type JournalPorts, readEnds } from '../compaction/fold-and-publish.ts'

/** The number of log records that one call reads. Each has at most 100 registrations. */
const recordsPerRead = 20

/** The samples that one deployment contributes to the history of durations. */
interface DeploymentSamples {
  readonly samples: readonly DurationSample[]
  /**
   * The time in which the deployment ran no provider call. Undefined if the deployment is open or
   * has no samples, or if only a part of its operations was read.
   */
  readonly overheadMs: number | undefined
}

/**
 * Reads the durations of a stack's earlier provider calls, from the outcomes in its records. Reads
 * the newest deployments only, up to limits (`forecastDeploymentsMax`, `forecastOperationsMax`), so
 * the cost does not grow with the history. Returns fewer durations when
 * records were removed or cannot be read, because a forecast must never make a preview fail.
 * Only deployments of `command` contribute to `overheadMs`.
 */
export async function readStepDurations(
  ports: JournalPorts,
  stack: StackId,
  command: Command,
): Promise<StepDurations> {
  const samples: DurationSample[] = []
  const overheadsMs: number[] = []
  let slowOperations: ReadonlyMap<string, number> = new Map()
  try {
    slowOperations = await ports.catalog.listSlowOperations(stack)
    const entries = await ports.catalog.listHistory(stack, limits.forecastDeploymentsMax)
    for (const entry of entries) {
      const deploymentSamples = await readSamples(
        ports,
        entry,
        limits.forecastOperationsMax - samples.length,
      )
      for (const sample of deploymentSamples.samples) samples.push(sample)
      if (entry.command === command && deploymentSamples.overheadMs !== undefined)
        overheadsMs.push(deploymentSamples.overheadMs)
    }
  } catch {
    // The durations that were read so far count.
  }
  return summarizeDurations({ samples, slowOperations, overheadsMs })
}

/** Reads the samples of at most `operationsMax` operations of one deployment. */
async function readSamples(
  ports: JournalPorts,
  { deployment, startedAt, endedAt }: HistoryRecord,
  operationsMax: number,
): Promise<DeploymentSamples> {
  const operations = await readFirstOperations(ports, deployment, operationsMax)
  const ends = await readEnds(ports, deployment, operations)
  const samples = operations.flatMap(({ id, op, urn, type, skipCall }): DurationSample[] => {
    const call = timedCallOf(op)
    const outcome = ends.get(id)?.outcome
    if (call === undefined || skipCall === true || outcome?.verdict !== 'succeeded') return []
    return [{ call, urn, type, durationMs: outcome.endedAt - outcome.startedAt }]
  })
  const isComplete = operations.length < operationsMax && endedAt !== undefined
  if (!isComplete || samples.length === 0) return { samples, overheadMs: undefined }
  const intervals = [...ends.values()].flatMap(({ outcome }) =>
    outcome === undefined ? [] : [[outcome.startedAt, outcome.endedAt] as const],
  )
  return { samples, overheadMs: measureUncoveredMs([startedAt, endedAt], intervals) }
}

/** Reads the first operations of a log. Reads only the plan pages that contain them. */
async function readFirstOperations(
  ports: JournalPorts,
  deployment: DeploymentId,
  operationsMax: number,
): Promise<readonly Operation[]> {
  const operations: Operation[] = []
  let firstNumber = 0
  while (operations.length < operationsMax) {
    const records = await readRecordPage(ports, deployment, firstNumber)
    for (const decision of records.flatMap(({ decisions }) => decisions)) {
      const pages = decision.kind === 'plan' ? decision.pages : []
      operations.push(...listExecutedOperations({ decisions: [decision], pages: new Map() }))
      for (const hash of pages)
        if (operations.length < operationsMax)
          operations.push(...(await readPlanPage(ports.blobs, hash)))
    }
    if (records.length < recordsPerRead) break
    firstNumber += recordsPerRead
  }
  return operations.slice(0, Math.max(0, operationsMax))
}

/** Reads the next records of a log, from `firstNumber` on. Returns none if they were removed. */
async function readRecordPage(
  { decisionLog }: JournalPorts,
  deployment: DeploymentId,
  firstNumber: number,
): Promise<readonly LogRecord[]> {
  try {
    return await decisionLog.read(deployment, firstNumber as LogNumber, recordsPerRead)
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return []
    throw thrown
  }
}
