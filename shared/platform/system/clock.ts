/**
 * system: clock, random numbers, log lines and child processes of this machine. Imports ports and
 * below.
 *
 * Invariant: no other module reads a clock, draws random numbers or writes to stderr.
 */
import { uptime } from 'node:os'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs } from '../../records/ids.ts'

/** Longest delay of a Node timer. A longer one would fire immediately. */
const timerMsMax = 2 ** 31 - 1

/** The sources of time. Tests replace them. */
export interface TimeSources {
  readonly wallMs: () => number
  /** Monotonic, but stops while the machine is suspended. */
  readonly processMs: () => number
  /** Includes suspension, with a coarse resolution. */
  readonly bootMs: () => number
}

const machine: TimeSources = {
  wallMs: () => Date.now(),
  processMs: () => performance.now(),
  bootMs: () => uptime() * 1000,
}

/** Longest interval between reads of the time since boot. Each read costs a file access. */
const bootLookMs = 500
/**
 * Difference between wall clock and process clock that indicates a suspension or a changed clock.
 */
const wallStepMs = 250

/**
 * Creates the clock of this machine. Node's monotonic clock stops during a suspension, but leases
 * do not. The clock therefore adds the difference to the time since boot once it exceeds the
 * resolution. It reads the time since boot when the wall clock advanced more than the process
 * clock, and otherwise at intervals.
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

/** Resolves after `ms`, or immediately when `signal` aborts. */
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
