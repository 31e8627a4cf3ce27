import { limits } from '../../shared/config/limits.ts'
import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'
import { simulationStartMs, createClock } from './clock.ts'
import type { SeededDraw } from './draw.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** The two hosts of a world. Processes of one host do not see those of the other. */
export type HostName = 'here' | 'there'

/**
 * One process of the simulated machine: its identity, its clock, its random numbers, and whether it
 * lives.
 */
export interface SimNode extends Owner {
  readonly number: number
  readonly holder: Holder
  readonly clock: ClockPort
  readonly random: RandomPort
  /** Kills the process, which receives nothing more. */
  readonly crash: () => void
  readonly freeze: (ms: number) => void
  /** Moves the wall clock of the process. No code may rely on that clock. */
  readonly jump: (ms: number) => void
  readonly died: Promise<'died'>
  /** Returns the time since the last activity of the process, in ms; 0 while the process runs. */
  readonly silentMs: () => number
  /**
   * Reports whether the process was silent for a whole lease after this time. Observers then
   * consider it dead.
   */
  readonly lostLeaseSince: (ms: number) => boolean
  /** Reports whether the process was frozen after this time. */
  readonly frozeSince: (ms: number) => boolean
}

/** Starts a process. Its clock is off by up to 30 s, and up to 1 % fast or slow. */
export function startNode(
  scheduler: Scheduler,
  { number, host }: { readonly number: number; readonly host: HostName },
  draw: SeededDraw,
): SimNode {
  const pace = 1 + (draw.unit() - 0.5) / 50
  const offsetMs = draw.integer(-30_000, 30_000)
  const startMs = scheduler.nowMs()
  const death = Promise.withResolvers<'died'>()
  let jumpedMs = 0
  let isDead = false
  let [frozenUntilMs, silentSinceMs, leaseLostUntilMs] = [0, 0, 0]
  const owner: Owner = { isDead: () => isDead, frozenUntilMs: () => frozenUntilMs }
  const monotonicMs = (): number => (scheduler.nowMs() - startMs) * pace
  return {
    ...owner,
    number,
    holder: { host, pid: number, started: 'then', who: 'the simulation' },
    clock: {
      ...createClock(scheduler, owner, pace),
      monotonicMs,
      now: () =>
        Math.round(simulationStartMs + startMs + monotonicMs() + offsetMs + jumpedMs) as EpochMs,
    },
    random: createRandom(draw.fork('random')),
    crash() {
      if (!isDead) silentSinceMs = scheduler.nowMs()
      isDead = true
      death.resolve('died')
    },
    freeze(ms) {
      const nowMs = scheduler.nowMs()
      if (frozenUntilMs <= nowMs) silentSinceMs = nowMs
      frozenUntilMs = Math.max(frozenUntilMs, nowMs + ms)
      if (frozenUntilMs - silentSinceMs > limits.leaseMs) leaseLostUntilMs = frozenUntilMs
    },
    jump(ms) {
      jumpedMs += ms
    },
    died: death.promise,
    lostLeaseSince: ms => leaseLostUntilMs > ms,
    frozeSince: ms => frozenUntilMs > ms,
    silentMs: () =>
      isDead || frozenUntilMs > scheduler.nowMs() ? scheduler.nowMs() - silentSinceMs : 0,
  }
}

/** Creates the random numbers of one process. */
export function createRandom(draw: SeededDraw): RandomPort {
  const bytes = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => draw.integer(0, 255))
  return {
    bytes,
    uuid: () => {
      const hex = Buffer.from(bytes(16)).toString('hex')
      const parts = [0, 8, 12, 16, 20, 32].map((start, index, starts) =>
        hex.slice(start, starts[index + 1]),
      )
      return parts.slice(0, 5).join('-')
    },
  }
}
