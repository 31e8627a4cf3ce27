/**
 * system: clock, chance, log lines and child processes of this machine. Imports ports and below.
 *
 * Invariant: nothing else in the project reads a clock, draws random numbers or writes to stderr.
 */
import { uptime } from 'node:os'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs } from '../../records/ids.ts'

/** Longest delay that a timer of Node takes; a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1

/** What the clock reads; given in tests. */
export interface TimeSources {
  readonly wallMs: () => number
  /** Grows steadily but stands still while the machine sleeps. */
  readonly processMs: () => number
  /** Grows while the machine sleeps, coarsely. */
  readonly bootMs: () => number
}

const machine: TimeSources = {
  wallMs: () => Date.now(),
  processMs: () => performance.now(),
  bootMs: () => uptime() * 1000,
}

/** Longest that the time since boot goes unread: reading it costs a file each time. */
const bootLookMs = 500
/** By so much more has the wall clock gone on than the process: somebody slept, or set it. */
const wallStepMs = 250

/**
 * The clock of this machine. Node's own monotonic clock stops while a laptop sleeps; a lease does
 * not, so time since boot is compared and the difference added once it is more than its coarseness.
 * It is read when the wall clock says that time passed which the process did not see, and else now
 * and then.
 */
export function createSystemClock(sources: TimeSources = machine): ClockPort {
  const processStart = sources.processMs()
  const bootStart = sources.bootMs()
  let lookedMs = processStart
  let wallAheadMs = sources.wallMs() - processStart
  let sleptMs = 0
  return {
    now: () => sources.wallMs() as EpochMs,
    monotonicMs: () => {
      const awakeMs = sources.processMs()
      const aheadMs = sources.wallMs() - awakeMs
      if (awakeMs - lookedMs > bootLookMs || Math.abs(aheadMs - wallAheadMs) > wallStepMs) {
        lookedMs = awakeMs
        wallAheadMs = aheadMs
        const behindMs = sources.bootMs() - bootStart - (awakeMs - processStart)
        if (behindMs > sleptMs + 1_500) sleptMs = behindMs
      }
      return awakeMs + sleptMs
    },
    sleep,
    repeat,
    defer: call => void setImmediate(call),
  }
}

/** Resolves after `ms`, or at once when `signal` aborts. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && signal?.aborted !== true; left -= timerMsMax) {
    await pause(Math.min(left, timerMsMax), signal)
  }
}

function repeat(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms)
  timer.unref()
  return () => clearInterval(timer)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const finish = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
