import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import {
  type CallOptions,
  type Environment,
  type InvocationOutcome,
  startEnvironment,
} from './environment.ts'
import { addToLineage, isRecursiveLoop } from './invocation-lineage.ts'
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
  /** The folder in which each environment gets a folder of its own. */
  readonly parentFolder: string
  readonly limitMs: number
  /** Whether a chain of calls may lead back to the function without limit. */
  readonly allowsRecursion: boolean
  /** Time after which an idle environment is killed. */
  readonly idleMs: number
  readonly onLine: (pid: number, line: string) => void
  readonly onCall: (call: CompletedCall) => void
}

/** The environments of one function. */
export interface Fleet {
  /**
   * Calls the function in an idle environment of the call's tenant, or in a new one. The trace
   * header of `call` names the chain of calls that led to it. A call that continues a recursive
   * loop fails, unless the function allows recursion.
   */
  readonly invoke: (event: unknown, call?: CallOptions) => Promise<InvocationOutcome>
  readonly listEnvironments: () => readonly Environment[]
  /**
   * Replaces the code, as an upgrade of the installation does. Idle environments end immediately,
   * and busy environments after their call. New environments have the new code.
   */
  readonly replaceCode: (bundleFolder: string) => void
  /**
   * Kills all environments and accepts no more calls. Resolves when every call and environment has
   * ended.
   */
  readonly end: () => Promise<void>
}

/** Creates the fleet of a function. Its first environment starts with the first call. */
export function createFleet(options: FleetOptions): Fleet {
  /** The environments with their tenants. */
  const environments = new Map<Environment, string | undefined>()
  /** Environments whose code was replaced during their start or call. */
  const outdatedEnvironments = new WeakSet<Environment>()
  /** The calls that have not ended, also while their environments start. */
  const pendingCalls = new Set<Promise<InvocationOutcome>>()
  let { bundleFolder } = options
  let hasEnded = false
  const idleCheck = setInterval(() => {
    const idleBeforeMs = performance.now() - options.idleMs
    for (const candidate of environments.keys())
      if (!candidate.isBusy() && candidate.idleSinceMs() < idleBeforeMs) candidate.kill('was idle')
  }, localCloudLimits.idleCheckMs)
  // The fleet adds an environment in the turn of the event loop in which its first call begins.
  // Before its first call, the environment would look idle to other calls.
  const add = (environment: Environment, tenant: string | undefined): void => {
    environments.set(environment, tenant)
    void environment.endReason.then(() => environments.delete(environment))
    if (hasEnded) environment.kill('the cloud has ended')
  }
  const callEnvironment = async (event: unknown, call: CallOptions): Promise<InvocationOutcome> => {
    const startedMs = performance.now()
    const [idleEnvironment] =
      [...environments].find(
        ([candidate, tenant]) => tenant === call.tenant && !candidate.isBusy(),
      ) ?? []
    const usedFolder = bundleFolder
    const environment = idleEnvironment ?? (await startFleetEnvironment(options, bundleFolder))
    if (idleEnvironment === undefined) add(environment, call.tenant)
    // The code was replaced while the environment started.
    if (bundleFolder !== usedFolder) outdatedEnvironments.add(environment)
    const outcome = await environment.invoke(event, options.limitMs, call)
    const durationMs = performance.now() - startedMs
    if (outdatedEnvironments.has(environment)) environment.kill('its code was replaced')
    const isCold = idleEnvironment === undefined
    options.onCall({ outcome, pid: environment.pid, durationMs, isCold })
    return outcome
  }
  return {
    listEnvironments: () => [...environments.keys()],
    invoke: async (event, call = {}) => {
      if (hasEnded) return { kind: 'died', reason: 'the cloud has ended' }
      const lineage = addToLineage(call.traceHeader, options.name)
      if (isRecursiveLoop(lineage) && !options.allowsRecursion)
        return { kind: 'failed', reason: `Lambda stops a recursive loop of ${options.name}` }
      const { traceHeader } = lineage
      const pendingCall = callEnvironment(event, { ...call, traceHeader })
      pendingCalls.add(pendingCall)
      return pendingCall.finally(() => pendingCalls.delete(pendingCall))
    },
    replaceCode: newBundleFolder => {
      bundleFolder = newBundleFolder
      for (const candidate of environments.keys())
        if (candidate.isBusy()) outdatedEnvironments.add(candidate)
        else candidate.kill('its code was replaced')
    },
    end: async () => {
      hasEnded = true
      clearInterval(idleCheck)
      const lastEnvironments = [...environments.keys()]
      for (const candidate of lastEnvironments) candidate.kill('the cloud has ended')
      // An environment that is still starting is killed before its first call.
      await Promise.allSettled(pendingCalls)
      await Promise.all(lastEnvironments.map(candidate => candidate.endReason))
    },
  }
}

async function startFleetEnvironment(
  options: FleetOptions,
  bundleFolder: string,
): Promise<Environment> {
  let pid = 0
  const environment = await startEnvironment({
    ...options,
    bundleFolder,
    folder: join(options.parentFolder, `${options.name}-${randomUUID().slice(0, 8)}`),
    onLine: line => options.onLine(pid, line),
  })
  pid = environment.pid
  return environment
}
