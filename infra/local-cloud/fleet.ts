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
  readonly durationMs: number
  /** Whether an environment was started for the call. */
  readonly isCold: boolean
}

/** The options and callbacks of a fleet. */
export interface FleetOptions extends Omit<EnvironmentOptions, 'folder' | 'onLine'> {
  /** The parent folder of environments. */
  readonly parentFolder: string
  readonly limitMs: number
  /** Time after which an idle environment is stopped. */
  readonly idleMs: number
  readonly onLine: (pid: number, line: string) => void
  readonly onCall: (call: CompletedCall) => void
}

/** The environments of one function. */
export interface Fleet {
  /**
   * Calls the function in an idle environment, or in a new one. `onStreamedAnswer` receives a
   * streamed response.
   */
  readonly invoke: (
    event: unknown,
    onStreamedAnswer?: OnStreamedAnswer,
  ) => Promise<InvocationOutcome>
  readonly environments: () => readonly Environment[]
  /** Kills all environments and accepts no more calls. */
  readonly end: () => Promise<void>
}

/** Creates the fleet of a function. Its first environment starts with the first call. */
export function createFleet(options: FleetOptions): Fleet {
  const environments = new Set<Environment>()
  let hasEnded = false
  const idleCheck = setInterval(() => {
    const idleBeforeMs = performance.now() - options.idleMs
    for (const candidate of environments)
      if (!candidate.isBusy() && candidate.idleSinceMs() < idleBeforeMs) candidate.kill('was idle')
  }, cloudLimits.idleCheckMs)
  const startFleetEnvironment = async (): Promise<Environment> => {
    let pid = 0
    const environment = await startEnvironment({
      ...options,
      folder: join(options.parentFolder, `${options.name}-${randomUUID().slice(0, 8)}`),
      onLine: line => options.onLine(pid, line),
    })
    pid = environment.pid
    return environment
  }
  // The fleet adds an environment in the turn of the event loop in which its first call begins.
  // Before its first call, the environment would look idle to other calls.
  const add = (environment: Environment): void => {
    environments.add(environment)
    void environment.endReason.then(() => environments.delete(environment))
    if (hasEnded) environment.kill('the cloud has ended')
  }
  return {
    environments: () => [...environments],
    invoke: async (event, onStreamedAnswer) => {
      if (hasEnded) return { kind: 'died', reason: 'the cloud has ended' }
      const startedMs = performance.now()
      const idleEnvironment = [...environments].find(candidate => !candidate.isBusy())
      const environment = idleEnvironment ?? (await startFleetEnvironment())
      if (idleEnvironment === undefined) add(environment)
      const outcome = await environment.invoke(event, options.limitMs, onStreamedAnswer)
      const durationMs = performance.now() - startedMs
      options.onCall({
        outcome,
        pid: environment.pid,
        durationMs,
        isCold: idleEnvironment === undefined,
      })
      return outcome
    },
    end: async () => {
      hasEnded = true
      clearInterval(idleCheck)
      const lastEnvironments = [...environments]
      for (const candidate of lastEnvironments) candidate.kill('the cloud has ended')
      await Promise.all(lastEnvironments.map(candidate => candidate.endReason))
    },
  }
}
