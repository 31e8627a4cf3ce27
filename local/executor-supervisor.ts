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

/** Executors that are not beside the generator of their deployment: with plugins of their own. */
export interface ExecutorSupervisor {
  /** Resolves when the deployment is over, or nobody is to attend it any more. */
  readonly done: Promise<void>
  /** Asks the providers to cancel what runs. */
  readonly cancel: () => Promise<void>
  /** Abandons what runs. */
  readonly abandon: () => void
}

/** What executors are to attend. */
export interface SupervisedDeployment {
  readonly deployment: DeploymentId
  /** How long one of them may last, in ms; without it, as long as the deployment. */
  readonly limitMs: number | undefined
  /** Aborts when nothing more is to be begun here. */
  readonly over: AbortSignal
}

/** Executors that run or end what they began, with what is around each. */
type OpenExecutors = Map<RunEnvironment, RunningExecutor>

/** How often it is looked whether a deployment is over, in ms. */
const lookMs = 500

/**
 * Runs operations of one deployment until that is closed: by one executor, or, under a time limit,
 * by executors that follow each other, and one without a limit for what takes longer. What an
 * executor began ends with it, also beyond its time: no call is cut off.
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

/** One executor after another, each beside those before that still end what they began. */
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
    // Those before, which only end what they began, are not to be awaited either.
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
 * Starts an executor as soon as the store lets it: a disk that is full has room again one day, and
 * those before still hold outcomes. Undefined when nobody is to attend any more.
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
 * Starts one executor; `left` resolves when its time is over, or is no longer of interest: a clock
 * that runs on would keep the process from its end.
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

/** Resolves when a deployment was closed or stopped by force, or this process is to end. */
async function awaitOver(
  platform: Platform,
  { deployment, over }: SupervisedDeployment,
  watching: AbortSignal,
): Promise<'over' | 'forced'> {
  const either = AbortSignal.any([over, watching])
  while (!either.aborted) {
    const control = await platform.control.read(deployment).catch((thrown: unknown) => {
      // What it holds must outlast a bad moment of the store.
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
