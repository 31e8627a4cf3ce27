/**
 * system: clock, random numbers, log lines and child processes of this machine. Imports ports and
 * below.
 *
 * Invariant: the engine reads the clock, draws random numbers and writes its log only through these
 * ports.
 */
import { uptime } from 'node:os'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs } from '../../records/ids.ts'

/** Longest delay of a Node timer. A timer with a longer delay would fire immediately. */
const timerMsMax = 2 ** 31 - 1

/** The sources of time. Tests replace them. */
export interface TimeSources {
  readonly wallMs: () => number
  /** Monotonic, but stops while the machine is suspended. */
  readonly processMs: () => number
  /** Includes suspension, with a coarse resolution. */
  readonly bootMs: () => number
}

const machineSources: TimeSources = {
  wallMs: () => Date.now(),
  processMs: () => performance.now(),
  bootMs: () => uptime() * 1000,
}

/** Longest time between two reads of the time since boot. Each read costs a file access. */
const bootReadIntervalMs = 500
/**
 * Change in the difference between wall clock and process clock that indicates a suspension or an
 * adjusted wall clock.
 */
const wallStepMs = 250
/**
 * Lag of the process clock above which the machine counts as having been suspended. The value
 * exceeds the resolution of the time since boot, which is a second on some systems.
 */
const bootResolutionMs = 1_500

/**
 * Creates the clock of this machine. Node's process clock stops during a suspension, but leases
 * must expire. This clock therefore compares the process clock with the time since boot. When the
 * process clock falls behind by more than `bootResolutionMs`, this clock adds the difference. It
 * reads the time since boot when wall clock and process clock advanced differently, and otherwise
 * at intervals.
 */
export function createSystemClock(sources: TimeSources = machineSources): ClockPort {
  const processStartMs = sources.processMs()
  const bootStartMs = sources.bootMs()
  let lastBootReadMs = processStartMs
  let wallAheadMs = sources.wallMs() - processStartMs
  let suspendedMs = 0
  return {
    now: () => sources.wallMs() as EpochMs,
    monotonicMs: () => {
      const awakeMs = sources.processMs()
      const aheadMs = sources.wallMs() - awakeMs
      if (
        awakeMs - lastBootReadMs > bootReadIntervalMs ||
        Math.abs(aheadMs - wallAheadMs) > wallStepMs
      ) {
        lastBootReadMs = awakeMs
        wallAheadMs = aheadMs
        const missingMs = sources.bootMs() - bootStartMs - (awakeMs - processStartMs)
        if (missingMs > suspendedMs + bootResolutionMs) suspendedMs = missingMs
      }
      return awakeMs + suspendedMs
    },
    sleep,
    repeat,
    defer: callback => void setImmediate(callback),
  }
}

/** Resolves after `ms`, or immediately when `signal` aborts. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  for (
    let remainingMs = ms;
    remainingMs > 0 && signal?.aborted !== true;
    remainingMs -= timerMsMax
  ) {
    await pause(Math.min(remainingMs, timerMsMax), signal)
  }
}

function repeat(intervalMs: number, callback: () => void): () => void {
  const timer = setInterval(callback, intervalMs)
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
