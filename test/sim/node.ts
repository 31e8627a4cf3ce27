import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'
import type { Draw } from './draw.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** One process of the simulated machine: its name, its clock, its chance, whether it lives. */
export interface SimNode extends Owner {
  readonly number: number
  readonly holder: Holder
  readonly clock: ClockPort
  readonly random: RandomPort
  /** Nothing that it waits for ever comes. */
  readonly crash: () => void
  readonly freeze: (ms: number) => void
  /** Moves its wall clock, which nothing may rely on. */
  readonly jump: (ms: number) => void
  readonly died: Promise<'died'>
}

/** The wall time at which the simulated world begins. */
const beganAtMs = Date.UTC(2030, 0, 1)

/** Starts a process. Its clock is off by up to 30 s and up to 1 % fast or slow. */
export function startNode(scheduler: Scheduler, number: number, draw: Draw): SimNode {
  const pace = 1 + (draw.unit() - 0.5) / 50
  const offsetMs = draw.whole(-30_000, 30_000)
  const startMs = scheduler.nowMs()
  const dying = Promise.withResolvers<'died'>()
  let jumpedMs = 0
  let isDead = false
  let frozenUntilMs = 0
  const owner: Owner = { isDead: () => isDead, frozenUntilMs: () => frozenUntilMs }
  const monotonicMs = (): number => (scheduler.nowMs() - startMs) * pace
  return {
    ...owner,
    number,
    holder: { host: 'here', pid: number, started: 'then', who: 'the simulation' },
    clock: {
      ...createClock(scheduler, owner, pace),
      monotonicMs,
      now: () => Math.round(beganAtMs + startMs + monotonicMs() + offsetMs + jumpedMs) as EpochMs,
    },
    random: createRandom(draw.fork('random')),
    crash() {
      isDead = true
      dying.resolve('died')
    },
    freeze(ms) {
      frozenUntilMs = Math.max(frozenUntilMs, scheduler.nowMs() + ms)
    },
    jump(ms) {
      jumpedMs += ms
    },
    died: dying.promise,
  }
}

/** The clock of the world itself, for what lives outside of all processes. */
export function createWorldClock(scheduler: Scheduler): ClockPort {
  return {
    ...createClock(scheduler, undefined, 1),
    monotonicMs: scheduler.nowMs,
    now: () => (beganAtMs + scheduler.nowMs()) as EpochMs,
  }
}

/** Timers of one owner, whose clock runs at `pace`. */
function createClock(
  scheduler: Scheduler,
  owner: Owner | undefined,
  pace: number,
): Pick<ClockPort, 'sleep' | 'every' | 'soon'> {
  return {
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) return resolve()
        const finish = (): void => {
          callOff()
          signal?.removeEventListener('abort', finish)
          resolve()
        }
        const callOff = scheduler.after(ms / pace, finish, owner)
        signal?.addEventListener('abort', finish, { once: true })
      }),
    every(ms, call) {
      let callOff = (): void => undefined
      const again = (): void => {
        callOff = scheduler.after(
          ms / pace,
          () => {
            again()
            call()
          },
          owner,
        )
      }
      again()
      return () => callOff()
    },
    soon: call => void scheduler.after(0, call, owner),
  }
}

function createRandom(draw: Draw): RandomPort {
  const bytes = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => draw.whole(0, 255))
  return {
    bytes,
    uuid: () => {
      const hex = Buffer.from(bytes(16)).toString('hex')
      const cut = [0, 8, 12, 16, 20, 32].map((at, index, all) => hex.slice(at, all[index + 1]))
      return cut.slice(0, 5).join('-')
    },
  }
}
