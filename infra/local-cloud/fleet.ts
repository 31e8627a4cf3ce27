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

/** A completed call. */
export interface CompletedCall {
  readonly outcome: InvocationOutcome
  readonly pid: number
  readonly ms: number
  /** Whether an environment was started for it. */
  readonly isCold: boolean
}

/** The options and callbacks of a fleet. */
export interface FleetOptions extends Omit<EnvironmentOptions, 'folder' | 'onLine'> {
  /** The parent folder of environments. */
  readonly folders: string
  readonly limitMs: number
  /** Time after which an idle environment is stopped. */
  readonly idleMs: number
  readonly onLine: (pid: number, line: string) => void
  readonly onCall: (called: CompletedCall) => void
}

/** The environments of one function. */
export interface Fleet {
  /**
   * Calls the function in an idle environment, or in a new one. `streamed` receives a streamed
   * response.
   */
  readonly invoke: (event: unknown, streamed?: OnStreamedAnswer) => Promise<InvocationOutcome>
  readonly environments: () => readonly Environment[]
  /** Kills all environments and accepts no more calls. */
  readonly end: () => Promise<void>
}

/** Creates the fleet of a function. Its first environment starts with the first call. */
export function createFleet(options: FleetOptions): Fleet {
  const running = new Set<Environment>()
  let isOver = false
  const looking = setInterval(() => {
    const beforeMs = performance.now() - options.idleMs
    for (const one of running) if (!one.isBusy() && one.idleSince() < beforeMs) one.kill('was idle')
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
  // Added in the same turn as its first call; before that it would look idle to others.
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
