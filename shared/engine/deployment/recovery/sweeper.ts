import { limits } from '../../../config/limits.ts'
import { messageOf } from '../../../errors/error.ts'
import type { BlobsPort, ControlPort, DecisionLogPort } from '../../../ports/records.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { ExecutorId, OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { listExecutedOperations, readPages, readRecords } from '../log/log-view.ts'
import { type SweepDeps, sweep } from './sweep.ts'

/** What a generator's own sweeps need. */
export interface SweeperDeps extends Omit<SweepDeps, 'isGone' | 'maySend'> {
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly logger: LoggerPort
  readonly liveness: Liveness
}

/** Sweeps that go on until they are ended. */
export interface SweepLoop {
  readonly end: () => Promise<void>
}

/**
 * Sweeps every `sweepMs`, and at once when an executor is found to be gone: what it held is sent to
 * others. A sweep that the store refuses is done at the next time.
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
 * Sweeps a deployment when it is called; does nothing once that was told to stop. `sendsAll`: what
 * is ready is sent whether or not it was sent before.
 */
type Sweeper = (gone: ReadonlySet<ExecutorId>, sendsAll: boolean) => Promise<void>

/**
 * Makes the sweeper of one life. It reads the log on from where it was, and looks at what has not
 * ended. What is ready is sent again only after a pause that doubles each time: a message that
 * waits its turn in a long queue is not lost.
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
  /** The first sweep that sees an operation ready leaves it to the message that was sent. */
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
