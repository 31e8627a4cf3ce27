import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import {
  type Environment,
  type InvocationOutcome,
  startEnvironment,
  type OnStreamedAnswer,
} from './environment.ts'
import type { EnvironmentOptions } from './environment-process.ts'

/** A call that is over. */
export interface CompletedCall {
  readonly outcome: InvocationOutcome
  readonly pid: number
  readonly ms: number
  /** Whether an environment was started for it. */
  readonly isCold: boolean
}

/** What a fleet is told and tells. */
export interface FleetOptions extends Omit<EnvironmentOptions, 'folder' | 'onLine'> {
  /** The folder that environments have theirs in. */
  readonly folders: string
  readonly limitMs: number
  /** How long an environment without work stays. */
  readonly idleMs: number
  readonly onLine: (pid: number, line: string) => void
  readonly onCall: (called: CompletedCall) => void
}

/** The environments of one function. */
export interface Fleet {
  /**
   * Calls the function: in an environment that has nothing to do, else in a new one. `streamed`
   * takes an answer that is sent piece by piece.
   */
  readonly invoke: (event: unknown, streamed?: OnStreamedAnswer) => Promise<InvocationOutcome>
  readonly environments: () => readonly Environment[]
  /** Kills all and takes no more calls. */
  readonly end: () => Promise<void>
}

/** Makes the fleet of a function; nothing runs before it is called. */
export function createFleet(options: FleetOptions): Fleet {
  const running = new Set<Environment>()
  let isOver = false
  const looking = setInterval(() => {
    const beforeMs = performance.now() - options.idleMs
    for (const one of running)
      if (!one.isBusy() && one.idleSince() < beforeMs) one.kill('had nothing to do')
  }, cloudLimits.lookMs)
  const startOne = async (): Promise<Environment> => {
    let pid = 0
    const environment = await startEnvironment({
      ...options,
      folder: join(options.folders, `${options.name}-${randomUUID().slice(0, 8)}`),
      onLine: line => options.onLine(pid, line),
    })
    pid = environment.pid
    return environment
  }
  // In the same turn as it gets its first call: before it has one it would look idle to others.
  const add = (environment: Environment): void => {
    running.add(environment)
    void environment.gone.then(() => running.delete(environment))
    if (isOver) environment.kill('the cloud has ended')
  }
  return {
    environments: () => [...running],
    invoke: async (event, streamed) => {
      if (isOver) return { kind: 'died', why: 'the cloud has ended' }
      const beganMs = performance.now()
      const idle = [...running].find(one => !one.isBusy())
      const environment = idle ?? (await startOne())
      if (idle === undefined) add(environment)
      const outcome = await environment.invoke(event, options.limitMs, streamed)
      const ms = performance.now() - beganMs
      options.onCall({ outcome, pid: environment.pid, ms, isCold: idle === undefined })
      return outcome
    },
    end: async () => {
      isOver = true
      clearInterval(looking)
      const all = [...running]
      for (const one of all) one.kill('the cloud has ended')
      await Promise.all(all.map(one => one.gone))
    },
  }
}
