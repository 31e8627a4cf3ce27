import type { ClockPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** The wall time at the beginning of the simulation, in ms since 1970. */
export const simulationStartMs = Date.UTC(2030, 0, 1)

/** Creates the clock for code outside of all processes. */
export function createWorldClock(scheduler: Scheduler): ClockPort {
  return {
    ...createClock(scheduler, undefined, 1),
    monotonicMs: scheduler.nowMs,
    now: () => (simulationStartMs + scheduler.nowMs()) as EpochMs,
  }
}

/** Creates the timers of one owner. Its clock runs `pace` times as fast as virtual time. */
export function createClock(
  scheduler: Scheduler,
  owner: Owner | undefined,
  pace: number,
): Pick<ClockPort, 'sleep' | 'repeat' | 'defer'> {
  return {
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) return resolve()
        const finish = (): void => {
          cancelTimer()
          signal?.removeEventListener('abort', finish)
          resolve()
        }
        const cancelTimer = scheduler.after(ms / pace, finish, owner)
        signal?.addEventListener('abort', finish, { once: true })
      }),
    repeat(ms, call) {
      let cancelTimer = (): void => undefined
      const scheduleNext = (): void => {
        cancelTimer = scheduler.after(
          ms / pace,
          () => {
            scheduleNext()
            call()
          },
          owner,
        )
      }
      scheduleNext()
      return () => cancelTimer()
    },
    defer: call => void scheduler.after(0, call, owner),
  }
}
