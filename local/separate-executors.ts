import { computeBackoffMs } from '../shared/engine/deployment/retry/backoff.ts'
import { shutdownMarginMsOf } from '../shared/engine/deployment/ownership/decide-hand-over.ts'
import { createProcessSlots } from '../shared/engine/deployment/dispatch/parallel-limit.ts'
import type { OperationSlots } from '../shared/engine/deployment/dispatch/operation-slots.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { DeploymentId } from '../shared/records/ids.ts'
import type { Pool } from '../shared/records/pool.ts'
import { type RunningExecutor, startExecutor } from '../functions/step-executor/start-executor.ts'
import {
  type RunEnvironment,
  createRunEnvironment,
  closeRunEnvironment,
} from '../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../shared/runtime/environment/run-input.ts'
import { errorSourceOf, retryPolicy } from '../shared/providers/retry-policy.ts'

/** Executors that are separate from the generator of their deployment, with their own plugins. */
export interface SeparateExecutors {
  /** Resolves when the last executor has ended. */
  readonly done: Promise<void>
  /** Asks the providers to cancel their running calls. */
  readonly cancel: () => Promise<void>
  /** Abandons running operations. */
  readonly abandon: () => void
}

/** The deployment that executors serve. */
export interface ExecutedDeployment {
  readonly deployment: DeploymentId
  /** Time limit of one executor, in ms. Absent: the executor runs as long as the deployment. */
  readonly limitMs: number | undefined
  /** Aborts when this process must not begin further operations. */
  readonly shutdown: AbortSignal
}

/** Executors that still run operations, by their environments. */
type ActiveExecutors = Map<RunEnvironment, RunningExecutor>

/** Interval at which the end of a deployment is checked, in ms. */
const endCheckMs = 500

/**
 * Starts executors, which run operations of one deployment until it is closed or stopped by force,
 * or until `shutdown` aborts. Without a time limit there is one executor. With a time limit,
 * executors follow each other, and an unlimited executor serves the long pool. An executor whose
 * time is over completes its running operations.
 */
export function startSeparateExecutors(
  input: RunInput,
  executedDeployment: ExecutedDeployment,
): SeparateExecutors {
  const activeExecutors: ActiveExecutors = new Map()
  const slots = createProcessSlots(input.request.options)
  const pools: readonly (Pool | undefined)[] =
    executedDeployment.limitMs === undefined ? [undefined] : ['short', 'long']
  const poolRuns = pools.map(pool =>
    runSuccessiveExecutors(input, { ...executedDeployment, pool, slots, activeExecutors }),
  )
  return {
    done: Promise.all(poolRuns).then(() => undefined),
    cancel: async () => {
      await Promise.all([...activeExecutors.keys()].map(({ plugins }) => plugins.cancelAll()))
    },
    abandon: () => {
      for (const [{ plugins, processes }, executor] of activeExecutors) {
        executor.abandon()
        plugins.abandon()
        void processes.close()
      }
    },
  }
}

/** Runs one executor after another. Earlier executors complete their operations meanwhile. */
async function runSuccessiveExecutors(
  input: RunInput,
  executedDeployment: ExecutedDeployment & {
    readonly pool: Pool | undefined
    readonly slots: OperationSlots
    readonly activeExecutors: ActiveExecutors
  },
): Promise<void> {
  const { platform } = input
  const pendingEnds: Promise<void>[] = []
  for (;;) {
    const nextExecutor = await startExecutorWithRetry(input, executedDeployment)
    if (nextExecutor === undefined) break
    const { environment, executor, timeElapsed, cancelTimer } = nextExecutor
    executedDeployment.activeExecutors.set(environment, executor)
    const watchAbort = new AbortController()
    const runAborted = environment.commandRun.whenAborted.then(() => 'aborted' as const)
    const deploymentEnd = awaitDeploymentEnd(platform, executedDeployment, watchAbort.signal)
    const endReason = await Promise.race([deploymentEnd, timeElapsed, runAborted])
    watchAbort.abort()
    cancelTimer()
    // A forced stop also ends the processes of earlier executors that still complete operations.
    if (endReason === 'forced')
      await Promise.all(
        [...executedDeployment.activeExecutors.keys()].map(({ processes }) => processes.close()),
      )
    pendingEnds.push(endExecutor(executor, environment, executedDeployment.activeExecutors))
    if (endReason === 'over' || endReason === 'forced' || executedDeployment.limitMs === undefined)
      break
  }
  await Promise.all(pendingEnds)
}

async function endExecutor(
  executor: RunningExecutor,
  environment: RunEnvironment,
  activeExecutors: ActiveExecutors,
): Promise<void> {
  try {
    await executor.end()
  } finally {
    activeExecutors.delete(environment)
    await closeRunEnvironment(environment)
  }
}

/**
 * Starts an executor, and retries while the store fails, because a full disk may have space again
 * later. Meanwhile earlier executors still record their outcomes. Returns undefined after a
 * shutdown.
 */
async function startExecutorWithRetry(
  input: RunInput,
  executedDeployment: ExecutedDeployment & {
    readonly pool: Pool | undefined
    readonly slots: OperationSlots
  },
): Promise<Awaited<ReturnType<typeof startExecutorOnce>> | undefined> {
  const { clock, random } = input.platform
  for (let attempt = 0; !executedDeployment.shutdown.aborted; attempt++) {
    const environment = await createRunEnvironment(input)
    try {
      return await startExecutorOnce(input, environment, executedDeployment)
    } catch (thrown) {
      await closeRunEnvironment(environment)
      if (errorSourceOf(thrown) !== 'store') throw thrown
    }
    await clock.sleep(
      computeBackoffMs(attempt, retryPolicy.store.retry, random),
      executedDeployment.shutdown,
    )
  }
  return undefined
}

/**
 * Starts one executor. `timeElapsed` resolves when the time of the executor is over. `cancelTimer`
 * ends that wait early, because a running timer would keep the process alive.
 */
async function startExecutorOnce(
  input: RunInput,
  environment: RunEnvironment,
  executedDeployment: ExecutedDeployment & {
    readonly pool: Pool | undefined
    readonly slots: OperationSlots
  },
) {
  const { clock } = input.platform
  const { deployment, limitMs, pool, slots } = executedDeployment
  const timerAbort = new AbortController()
  if (limitMs === undefined || pool !== 'short') {
    const unlimitedTime = {
      remainingMs: () => Infinity,
      startRemainingMs: Infinity,
      leave: () => undefined,
    }
    const timeLimit = pool === undefined ? {} : { timeLimit: { ...unlimitedTime, pool } }
    const executor = await startExecutor(input, environment, { deployment, slots, ...timeLimit })
    const timeElapsed = new Promise<'elapsed'>(() => undefined)
    return { environment, executor, timeElapsed, cancelTimer: () => undefined }
  }
  const startRemainingMs = limitMs - shutdownMarginMsOf(limitMs)
  const deadlineMs = clock.monotonicMs() + startRemainingMs
  const timeLimit = {
    pool,
    startRemainingMs,
    remainingMs: () => deadlineMs - clock.monotonicMs(),
    leave: () => timerAbort.abort(),
  }
  const executor = await startExecutor(input, environment, { deployment, slots, timeLimit })
  const timeElapsed = clock
    .sleep(startRemainingMs, timerAbort.signal)
    .then(() => 'elapsed' as const)
  return { environment, executor, timeElapsed, cancelTimer: () => timerAbort.abort() }
}

/**
 * Resolves with `forced` when a deployment was stopped by force. Resolves with `over` when it was
 * closed, when this process must shut down, or when `watchSignal` aborts.
 */
async function awaitDeploymentEnd(
  platform: Platform,
  { deployment, shutdown }: ExecutedDeployment,
  watchSignal: AbortSignal,
): Promise<'over' | 'forced'> {
  const endSignal = AbortSignal.any([shutdown, watchSignal])
  while (!endSignal.aborted) {
    const control = await platform.control.read(deployment).catch((thrown: unknown) => {
      // Running operations must outlast a store outage.
      if (errorSourceOf(thrown) !== 'store') throw thrown
      return 'unknown' as const
    })
    if (control === undefined) return 'over'
    if (control !== 'unknown' && control.stop === 'forced') return 'forced'
    if (control !== 'unknown' && control.closed) return 'over'
    await platform.clock.sleep(endCheckMs, endSignal)
  }
  return 'over'
}
