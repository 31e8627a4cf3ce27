import { limits } from '../../../config/limits.ts'
import { messageOf } from '../../../errors/error.ts'
import type { BlobsPort, ControlPort, DecisionLogPort } from '../../../ports/records.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { ExecutorId, OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { listExecutedOperations, readPages, readRecords } from '../log/log-view.ts'
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

/** Repeated sweeps until `end` is called. */
export interface SweepLoop {
  readonly end: () => Promise<void>
}

/**
 * Sweeps every `sweepMs`, and at once when an executor is found gone, so that its operations are
 * sent to others. A sweep that fails is repeated at the next interval.
 */
export function startSweeping(deps: SweeperDeps): SweepLoop {
  const over = new AbortController()
  const sweepOnce = createSweeper(deps)
  const { clock } = deps
  let sweptMs = clock.monotonicMs()
  let known = 0
  const sweepIfDue = async (): Promise<void> => {
    const gone = await deps.liveness.observe()
    const isNew = gone.size > known
    if (!isNew && clock.monotonicMs() - sweptMs < limits.sweepMs) return
    await sweepOnce(gone, isNew)
    known = gone.size
    sweptMs = clock.monotonicMs()
  }
  const run = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(limits.lookMs, over.signal)
      if (over.signal.aborted) return
      await sweepIfDue().catch(thrown =>
        deps.logger.write('warn', 'sweep.failed', { message: messageOf(thrown) }),
      )
    }
  }
  const running = run()
  return {
    end() {
      over.abort()
      return running
    },
  }
}

/**
 * Sweeps a deployment once. Does nothing when the deployment was stopped. `sendsAll`: sends ready
 * operations even if they were sent recently.
 */
type Sweeper = (gone: ReadonlySet<ExecutorId>, sendsAll: boolean) => Promise<void>

/**
 * Creates the sweeper of one generator run. It reads new log records and checks the operations that
 * have not ended. A ready operation is sent again only after a pause that doubles each time,
 * because its message may still wait in a long queue.
 */
function createSweeper(deps: SweeperDeps): Sweeper {
  let next = 0
  let open: readonly Operation[] = []
  const sent = new Map<OperationId, { readonly atMs: number; readonly pauseMs: number }>()
  const readNewRecords = async (): Promise<void> => {
    const records = await readRecords(deps.decisionLog, deps.deployment, next)
    next += records.length
    const decisions = records.flatMap(record => record.decisions)
    const pages = await readPages(deps.blobs, decisions)
    open = [...open, ...listExecutedOperations({ decisions, pages })]
  }
  /**
   * The first sweep that finds an operation ready does not send it, because its message was sent
   * already.
   */
  const maySend = (id: OperationId): boolean => {
    const nowMs = deps.clock.monotonicMs()
    const last = sent.get(id)
    const isDue = last !== undefined && nowMs - last.atMs >= last.pauseMs
    if (last === undefined) sent.set(id, { atMs: nowMs, pauseMs: limits.sweepMs / 2 })
    if (isDue) sent.set(id, { atMs: nowMs, pauseMs: last.pauseMs * 2 })
    return isDue
  }
  return async (gone, sendsAll) => {
    const control = await deps.control.read(deps.deployment)
    if (control === undefined || control.closed || control.stop !== 'none') return
    await readNewRecords()
    if (open.length === 0) return
    const isGone = (executor: ExecutorId): boolean => gone.has(executor)
    open = await sweep({ ...deps, isGone, maySend: id => maySend(id) || sendsAll }, open)
    const ids = new Set(open.map(({ id }) => id))
    for (const id of sent.keys()) if (!ids.has(id)) sent.delete(id)
  }
}
