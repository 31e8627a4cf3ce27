import { limits } from '../../config/limits.ts'
import { messageOf } from '../../errors/error.ts'
import type { BlobsPort, ControlPort, DecisionLogPort } from '../../ports/records.ts'
import type { ClockPort, LogPort } from '../../ports/system.ts'
import type { ExecutorId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { Liveness } from './liveness.ts'
import { executedOperations, pagesOf, readRecords } from './log-view.ts'
import { type SweepDeps, sweep } from './sweep.ts'

/** What a generator's own sweeps need. */
export interface SweeperDeps extends Omit<SweepDeps, 'isGone' | 'maySend'> {
  readonly log: DecisionLogPort
  readonly blobs: BlobsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly journal: LogPort
  readonly liveness: Liveness
}

/** Sweeps that go on until they are ended. */
export interface Sweeping {
  readonly end: () => Promise<void>
}

/** Sweeps every `sweepMs`. A sweep that the store refuses is done at the next time. */
export function keepSweeping(deps: SweeperDeps): Sweeping {
  const over = new AbortController()
  const sweepOnce = createSweeper(deps)
  const run = async (): Promise<void> => {
    for (;;) {
      await deps.clock.sleep(limits.sweepMs, over.signal)
      if (over.signal.aborted) return
      await sweepOnce().catch(thrown =>
        deps.journal.write('warn', 'sweep.failed', { message: messageOf(thrown) }),
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

/** Sweeps a deployment when it is called; does nothing once that was told to stop. */
type Sweeper = () => Promise<void>

/**
 * Makes the sweeper of one life. It reads the log on from where it was, and looks at what has not
 * ended. What is ready is sent again only after a pause that doubles each time: a message that
 * waits its turn in a long queue is not lost.
 */
function createSweeper(deps: SweeperDeps): Sweeper {
  let next = 0
  let open: readonly Operation[] = []
  const sent = new Map<OperationId, { readonly atMs: number; readonly pauseMs: number }>()
  const readOn = async (): Promise<void> => {
    const records = await readRecords(deps.log, deps.deployment, next)
    next += records.length
    const decisions = records.flatMap(record => record.decisions)
    const pages = await pagesOf(deps.blobs, decisions)
    open = [...open, ...executedOperations({ decisions, pages })]
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
  return async () => {
    const control = await deps.control.read(deps.deployment)
    if (control === undefined || control.closed || control.stop !== 'none') return
    await readOn()
    if (open.length === 0) return
    const gone = await deps.liveness.look()
    const isGone = (executor: ExecutorId): boolean => gone.has(executor)
    open = await sweep({ ...deps, isGone, maySend }, open)
    const ids = new Set(open.map(({ id }) => id))
    for (const id of sent.keys()) if (!ids.has(id)) sent.delete(id)
  }
}
