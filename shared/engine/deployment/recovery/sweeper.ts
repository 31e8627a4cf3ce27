import { limits } from '../../../config/limits.ts'
import { messageOf } from '../../../errors/error.ts'
import type { BlobsPort, ControlPort, DecisionLogPort } from '../../../ports/records.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { ExecutorId, OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { listExecutedOperations, readPlanPages, readRecords } from '../log/log-view.ts'
import { type SweepDeps, sweep } from './sweep.ts'

/** The dependencies of a generator's sweeps. */
export interface SweeperDeps extends Omit<SweepDeps, 'isGone' | 'maySend'> {
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly logger: LoggerPort
  readonly liveness: Liveness
}

/** A loop of sweeps. `end` stops the loop, and resolves after a sweep in progress. */
export interface SweepLoop {
  readonly end: () => Promise<void>
}

/**
 * Sweeps every `sweepMs`, and immediately when an executor turns out to be gone, so that other
 * executors get its operations. A sweep that fails is repeated at the next check of the executors.
 */
export function startSweeping(deps: SweeperDeps): SweepLoop {
  const endController = new AbortController()
  const sweepOnce = createSweeper(deps)
  const { clock } = deps
  let lastSweepMs = clock.monotonicMs()
  let previousGoneCount = 0
  const sweepIfDue = async (): Promise<void> => {
    const goneExecutors = await deps.liveness.observe()
    const hasNewGoneExecutors = goneExecutors.size > previousGoneCount
    if (!hasNewGoneExecutors && clock.monotonicMs() - lastSweepMs < limits.sweepMs) return
    await sweepOnce(goneExecutors, hasNewGoneExecutors)
    previousGoneCount = goneExecutors.size
    lastSweepMs = clock.monotonicMs()
  }
  const run = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(limits.livenessCheckMs, endController.signal)
      if (endController.signal.aborted) return
      await sweepIfDue().catch(thrown =>
        deps.logger.write('warn', 'sweep.failed', { message: messageOf(thrown) }),
      )
    }
  }
  const pendingLoop = run()
  return {
    end() {
      endController.abort()
      return pendingLoop
    },
  }
}

/**
 * The function that sweeps a deployment once. Does nothing when the deployment was stopped or is
 * over. `mustSendAll`: whether ready operations are sent even if they were sent recently.
 */
type Sweeper = (goneExecutors: ReadonlySet<ExecutorId>, mustSendAll: boolean) => Promise<void>

/**
 * Creates the sweeper of one generator run. The sweeper reads new log records and checks the
 * operations that have not ended. A ready operation is sent again after a pause that doubles each
 * time, because its message may still wait in a long queue. With `mustSendAll` it is sent
 * immediately.
 */
function createSweeper(deps: SweeperDeps): Sweeper {
  let nextNumber = 0
  let unfinishedOperations: readonly Operation[] = []
  const sends = new Map<OperationId, { readonly sentAtMs: number; readonly pauseMs: number }>()
  const readNewRecords = async (): Promise<void> => {
    const records = await readRecords(deps.decisionLog, deps.deployment, nextNumber)
    const decisions = records.flatMap(record => record.decisions)
    const pages = await readPlanPages(deps.blobs, decisions)
    unfinishedOperations = [
      ...unfinishedOperations,
      ...listExecutedOperations({ decisions, pages }),
    ]
    // If the read of a plan page fails, the next sweep must read the same records again. So the
    // number advances last.
    nextNumber += records.length
  }
  /**
   * Reports whether the pause of a ready operation is over. The pause begins at the first sweep
   * that finds the operation ready, because its message was already sent. The first pause is half
   * of `sweepMs`, so it is over at the next regular sweep.
   */
  const maySend = (id: OperationId): boolean => {
    const nowMs = deps.clock.monotonicMs()
    const lastSend = sends.get(id)
    const isDue = lastSend !== undefined && nowMs - lastSend.sentAtMs >= lastSend.pauseMs
    if (lastSend === undefined) sends.set(id, { sentAtMs: nowMs, pauseMs: limits.sweepMs / 2 })
    if (isDue) sends.set(id, { sentAtMs: nowMs, pauseMs: lastSend.pauseMs * 2 })
    return isDue
  }
  return async (goneExecutors, mustSendAll) => {
    const control = await deps.control.read(deps.deployment)
    if (control === undefined || control.closed || control.stop !== 'none') return
    await readNewRecords()
    if (unfinishedOperations.length === 0) return
    const isGone = (executor: ExecutorId): boolean => goneExecutors.has(executor)
    unfinishedOperations = await sweep(
      { ...deps, isGone, maySend: id => maySend(id) || mustSendAll },
      unfinishedOperations,
    )
    const ids = new Set(unfinishedOperations.map(({ id }) => id))
    for (const id of sends.keys()) if (!ids.has(id)) sends.delete(id)
  }
}
