import { computeBackoffMs } from '../shared/engine/deployment/retry/backoff.ts'
import { leaveMarginMsOf } from '../shared/engine/deployment/ownership/hand-over.ts'
import { createSlots, type Slots } from '../shared/engine/deployment/dispatch/slots.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { DeploymentId } from '../shared/records/ids.ts'
import type { Pool } from '../shared/records/pool.ts'
import {
  type RunningExecutor,
  startExecutor,
} from '../functions/step-executor/deployment-executor.ts'
import {
  type RunEnvironment,
  createRunEnvironment,
  closeRunEnvironment,
} from '../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../shared/runtime/environment/run-input.ts'
import { errorSourceOf, retryPolicy } from '../shared/providers/retry-policy.ts'

/** Executors that are separate from the generator of their deployment, with their own plugins. */
export interface ExecutorSupervisor {
  /** Resolves when the deployment is over, or when supervision ends. */
  readonly done: Promise<void>
  /** Requests cancellation of running calls from the providers. */
  readonly cancel: () => Promise<void>
  /** Abandons running operations. */
  readonly abandon: () => void
}

/** The deployment that executors serve. */
export interface SupervisedDeployment {
  readonly deployment: DeploymentId
  /** Time limit of one executor, in ms. Absent: it runs as long as the deployment. */
  readonly limitMs: number | undefined
  /** Aborts when nothing more may begin here. */
  readonly over: AbortSignal
}

/** Executors that run or complete their operations, with their environments. */
type OpenExecutors = Map<RunEnvironment, RunningExecutor>

/** Interval at which the end of a deployment is checked, in ms. */
const lookMs = 500

/**
 * Runs operations of one deployment until it is closed. Without a time limit there is one executor.
 * With one, executors follow each other, and an unlimited one serves slow operations. An executor
 * completes its operations even beyond its time, because no call is aborted.
 */
export function superviseExecutors(
  input: RunInput,
  supervised: SupervisedDeployment,
): ExecutorSupervisor {
  const open: OpenExecutors = new Map()
  const slots = createSlots(Math.max(1, input.request.options.parallel))
  const pools: readonly (Pool | undefined)[] =
    supervised.limitMs === undefined ? [undefined] : ['short', 'long']
  const supervisions = pools.map(pool =>
    runSuccessiveExecutors(input, { ...supervised, pool, slots, open }),
  )
  return {
    done: Promise.all(supervisions).then(() => undefined),
    cancel: async () => {
      await Promise.all([...open.keys()].map(({ plugins }) => plugins.cancelAll()))
    },
    abandon: () => {
      for (const [{ plugins, processes }, executor] of open) {
        executor.abandon()
        plugins.abandon()
        void processes.close()
      }
    },
  }
}

/** Runs one executor after another. Earlier ones complete their operations meanwhile. */
async function runSuccessiveExecutors(
  input: RunInput,
  supervised: SupervisedDeployment & {
    readonly pool: Pool | undefined
    readonly slots: Slots
    readonly open: OpenExecutors
  },
): Promise<void> {
  const { platform } = input
  const ending: Promise<void>[] = []
  for (;;) {
    const next = await startNextExecutor(input, supervised)
    if (next === undefined) break
    const { environment, executor, left, forget } = next
    supervised.open.set(environment, executor)
    const watching = new AbortController()
    const lost = environment.run.aborted.then(() => 'lost' as const)
    const over = awaitOver(platform, supervised, watching.signal)
    const why = await Promise.race([over, left, lost])
    watching.abort()
    forget()
    // Earlier executors, which only complete their operations, are not awaited either.
    if (why === 'forced')
      await Promise.all([...supervised.open.keys()].map(({ processes }) => processes.close()))
    ending.push(endExecutor(executor, environment, supervised.open))
    if (why === 'over' || why === 'forced' || supervised.limitMs === undefined) break
  }
  await Promise.all(ending)
}

async function endExecutor(
  executor: RunningExecutor,
  environment: RunEnvironment,
  open: OpenExecutors,
): Promise<void> {
  try {
    await executor.end()
  } finally {
    open.delete(environment)
    await closeRunEnvironment(environment)
  }
}

/**
 * Starts an executor as soon as the store permits. A full disk will have space again, and earlier
 * executors still hold outcomes. Returns undefined when supervision has ended.
 */
async function startNextExecutor(
  input: RunInput,
  supervised: SupervisedDeployment & { readonly pool: Pool | undefined; readonly slots: Slots },
): Promise<Awaited<ReturnType<typeof startOneExecutor>> | undefined> {
  const { clock, random } = input.platform
  for (let number = 0; !supervised.over.aborted; number++) {
    const environment = await createRunEnvironment(input)
    try {
      return await startOneExecutor(input, environment, supervised)
    } catch (thrown) {
      await closeRunEnvironment(environment)
      if (errorSourceOf(thrown) !== 'store') throw thrown
    }
    await clock.sleep(computeBackoffMs(number, retryPolicy.store.again, random), supervised.over)
  }
  return undefined
}

/**
 * Starts one executor. `left` resolves when its time is over, or when that no longer matters,
 * because a running timer would keep the process alive.
 */
async function startOneExecutor(
  input: RunInput,
  environment: RunEnvironment,
  supervised: SupervisedDeployment & { readonly pool: Pool | undefined; readonly slots: Slots },
) {
  const { clock } = input.platform
  const { deployment, limitMs, pool, slots } = supervised
  const leaving = new AbortController()
  if (limitMs === undefined || pool !== 'short') {
    const time = { remainingMs: () => Infinity, wholeMs: Infinity, leave: () => undefined }
    const limited = pool === undefined ? {} : { limited: { ...time, pool } }
    const executor = await startExecutor(input, environment, { deployment, slots, ...limited })
    const left = new Promise<'left'>(() => undefined)
    return { environment, executor, left, forget: () => undefined }
  }
  const wholeMs = limitMs - leaveMarginMsOf(limitMs)
  const untilMs = clock.monotonicMs() + wholeMs
  const limited = {
    pool,
    wholeMs,
    remainingMs: () => untilMs - clock.monotonicMs(),
    leave: () => leaving.abort(),
  }
  const executor = await startExecutor(input, environment, { deployment, slots, limited })
  const left = clock.sleep(wholeMs, leaving.signal).then(() => 'left' as const)
  return { environment, executor, left, forget: () => leaving.abort() }
}

/** Resolves when a deployment was closed or stopped by force, or this process must shut down. */
async function awaitOver(
  platform: Platform,
  { deployment, over }: SupervisedDeployment,
  watching: AbortSignal,
): Promise<'over' | 'forced'> {
  const either = AbortSignal.any([over, watching])
  while (!either.aborted) {
    const control = await platform.control.read(deployment).catch((thrown: unknown) => {
      // Its operations must outlast a store outage.
      if (errorSourceOf(thrown) !== 'store') throw thrown
      return 'unknown' as const
    })
    if (control === undefined) return 'over'
    if (control !== 'unknown' && control.stop === 'forced') return 'forced'
    if (control !== 'unknown' && control.closed) return 'over'
    await platform.clock.sleep(lookMs, either)
  }
  return 'over'
}
