import { messageOf } from '../../shared/errors/error.ts'
import type { UsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import type { ClockPort, LoggerPort, RandomPort } from '../../shared/ports/system.ts'
import type { UsagePort } from '../../shared/ports/usage.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { addUsage, noUsage, type UsageCounts, type UsagePart } from '../../shared/records/usage.ts'
import { computeTimeUsage, initMsMax, type ProcessSize } from './process-size.ts'

/** Records what the calls of this process use, for the costs of deployments. */
export interface UsageRecorder {
  /**
   * Runs one call of the function, or one round of a task. Then it stores the usage of the call for
   * each deployment that `assign` named. A call without a deployment is not recorded. The process
   * has one call at a time.
   */
  readonly measure: <T>(work: () => Promise<T>) => Promise<T>
  /** Names a deployment for which the current call works. */
  readonly assign: (deployment: DeploymentId) => void
}

/** The dependencies of a recorder. */
export interface UsageRecorderDeps {
  readonly usage: Pick<UsagePort, 'put'>
  readonly meter: UsageMeter
  readonly clock: Pick<ClockPort, 'monotonicMs' | 'repeat'>
  readonly random: Pick<RandomPort, 'uuid'>
  readonly logger: LoggerPort
  readonly part: UsagePart
  readonly size: ProcessSize
}

/**
 * Interval at which the usage of a running call is stored, in ms. A dying process loses at most the
 * usage of this time.
 */
const saveIntervalMs = 60_000

/**
 * For each event, the number of requests to SQS that the meter does not count. For a function,
 * Lambda receives and removes the message. For a task of the long pool, the meter counts only the
 * removal.
 */
const requestsPerEvent: Readonly<Record<UsagePart | 'task', number>> = {
  generator: 2,
  executor: 2,
  compaction: 0,
  watcher: 0,
  task: 1,
}

/** The current call. */
interface MeasuredCall {
  /** The id of the call in the records of usage. */
  readonly run: string
  readonly startMs: number
  readonly startCounts: UsageCounts
  readonly deployments: Set<DeploymentId>
  /**
   * The last write. The next one waits for it, so that an earlier usage never replaces a later one.
   */
  lastSave: Promise<void>
  endSaves?: () => void
}

/** The write of a usage record, which is part of the recorded usage. */
const usageWrite: Partial<UsageCounts> = { writeUnits: 1 }

/** Creates the recorder of a process. A usage that cannot be stored is logged, and lost. */
export function createUsageRecorder(deps: UsageRecorderDeps): UsageRecorder {
  const { meter, clock } = deps
  let isFirst = true
  let current: MeasuredCall | undefined
  const beginCall = (): MeasuredCall => {
    // The first call also pays the start of its environment. The clock begins with the process.
    const nowMs = clock.monotonicMs()
    const isStart = isFirst && deps.size.kind === 'function'
    const startMs = isStart ? Math.max(0, nowMs - initMsMax) : nowMs
    isFirst = false
    const startCounts = meter.read()
    const run = deps.random.uuid()
    return { run, startMs, startCounts, deployments: new Set(), lastSave: Promise.resolve() }
  }
  return {
    measure: async work => {
      const call = beginCall()
      current = call
      try {
        return await work()
      } finally {
        current = undefined
        call.endSaves?.()
        await saveInOrder(deps, call)
      }
    },
    assign: deployment => {
      if (current === undefined) return
      const call = current
      call.deployments.add(deployment)
      call.endSaves ??= clock.repeat(saveIntervalMs, () => void saveInOrder(deps, call))
    },
  }
}

function saveInOrder(deps: UsageRecorderDeps, call: MeasuredCall): Promise<void> {
  const save = call.lastSave
    .then(() => saveUsage(deps, call))
    .catch((thrown: unknown) =>
      deps.logger.write('warn', 'usage.unsaved', { message: messageOf(thrown) }),
    )
  call.lastSave = save
  return save
}

async function saveUsage(deps: UsageRecorderDeps, call: MeasuredCall): Promise<void> {
  const { usage, meter, clock, part, size } = deps
  const messages = requestsPerEvent[size.kind === 'task' ? 'task' : part]
  const deployments = [...call.deployments]
  const elapsedMs = clock.monotonicMs() - call.startMs
  const requestCounts = addUsage(meter.read(), call.startCounts, -1)
  const timeCounts = { ...computeTimeUsage(size, elapsedMs), messages }
  const share = 1 / deployments.length
  const sharedCounts = addUsage(noUsage, addUsage(requestCounts, timeCounts), share)
  for (const deployment of deployments)
    await usage.put(deployment, { part, run: call.run, counts: addUsage(sharedCounts, usageWrite) })
}
