import { backoffMs } from '../shared/engine/deployment/backoff.ts'
import { leaveMs } from '../shared/engine/deployment/hand-over.ts'
import { createSlots, type Slots } from '../shared/engine/deployment/slots.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { DeploymentId } from '../shared/records/ids.ts'
import type { Pool } from '../shared/records/pool.ts'
import { type RunningExecutor, startExecutor } from '../functions/step-executor/executor-loop.ts'
import {
  type Asked,
  type Surroundings,
  surround,
  tearDown,
} from '../functions/surroundings/surround.ts'
import { producerOf, whoseError } from '../shared/providers/whose-error.ts'

/** Executors that are not beside the generator of their deployment: with plugins of their own. */
export interface Attending {
  /** Resolves when the deployment is over, or nobody is to attend it any more. */
  readonly done: Promise<void>
  /** Asks the providers to cancel what runs. */
  readonly cancel: () => Promise<void>
  /** Abandons what runs. */
  readonly abandon: () => void
}

/** What executors are to attend. */
export interface AttendedDeployment {
  readonly deployment: DeploymentId
  /** How long one of them may last, in ms; without it, as long as the deployment. */
  readonly limitMs: number | undefined
  /** Aborts when nothing more is to be begun here. */
  readonly over: AbortSignal
}

/** Executors that run or end what they began, with what is around each. */
type OpenExecutors = Map<Surroundings, RunningExecutor>

/** How often it is looked whether a deployment is over, in ms. */
const lookMs = 500

/**
 * Runs operations of one deployment until that is closed: by one executor, or, under a time limit,
 * by executors that follow each other, and one without a limit for what takes longer. What an
 * executor began ends with it, also beyond its time: no call is cut off.
 */
export function attend(asked: Asked, about: AttendedDeployment): Attending {
  const open: OpenExecutors = new Map()
  const slots = createSlots(Math.max(1, asked.request.options.parallel))
  const pools: readonly (Pool | undefined)[] =
    about.limitMs === undefined ? [undefined] : ['short', 'long']
  const attending = pools.map(pool => followEachOther(asked, { ...about, pool, slots, open }))
  return {
    done: Promise.all(attending).then(() => undefined),
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
async function followEachOther(
  asked: Asked,
  about: AttendedDeployment & {
    readonly pool: Pool | undefined
    readonly slots: Slots
    readonly open: OpenExecutors
  },
): Promise<void> {
  const { platform } = asked
  const ending: Promise<void>[] = []
  for (;;) {
    const next = await nextExecutor(asked, about)
    if (next === undefined) break
    const { surroundings, executor, left, forget } = next
    about.open.set(surroundings, executor)
    const watching = new AbortController()
    const lost = surroundings.life.aborted.then(() => 'lost' as const)
    const over = untilOver(platform, about, watching.signal)
    const why = await Promise.race([over, left, lost])
    watching.abort()
    forget()
    // Those before, which only end what they began, are not to be awaited either.
    if (why === 'forced')
      await Promise.all([...about.open.keys()].map(({ processes }) => processes.close()))
    ending.push(endOf(executor, surroundings, about.open))
    if (why === 'over' || why === 'forced' || about.limitMs === undefined) break
  }
  await Promise.all(ending)
}

async function endOf(
  executor: RunningExecutor,
  surroundings: Surroundings,
  open: OpenExecutors,
): Promise<void> {
  try {
    await executor.end()
  } finally {
    open.delete(surroundings)
    await tearDown(surroundings)
  }
}

/**
 * Starts an executor as soon as the store lets it: a disk that is full has room again one day, and
 * those before still hold outcomes. Undefined when nobody is to attend any more.
 */
async function nextExecutor(
  asked: Asked,
  about: AttendedDeployment & { readonly pool: Pool | undefined; readonly slots: Slots },
): Promise<Awaited<ReturnType<typeof oneExecutor>> | undefined> {
  const { clock, random } = asked.platform
  for (let number = 0; !about.over.aborted; number++) {
    const surroundings = await surround(asked)
    try {
      return await oneExecutor(asked, surroundings, about)
    } catch (thrown) {
      await tearDown(surroundings)
      if (producerOf(thrown) !== 'store') throw thrown
    }
    await clock.sleep(backoffMs(number, whoseError.store.again, random), about.over)
  }
  return undefined
}

/**
 * Starts one executor; `left` resolves when its time is over, or is no longer of interest: a clock
 * that runs on would keep the process from its end.
 */
async function oneExecutor(
  asked: Asked,
  surroundings: Surroundings,
  about: AttendedDeployment & { readonly pool: Pool | undefined; readonly slots: Slots },
) {
  const { clock } = asked.platform
  const { deployment, limitMs, pool, slots } = about
  const leaving = new AbortController()
  if (limitMs === undefined || pool !== 'short') {
    const time = { leftMs: () => Infinity, wholeMs: Infinity, leave: () => undefined }
    const limited = pool === undefined ? {} : { limited: { ...time, pool } }
    const executor = await startExecutor(asked, surroundings, { deployment, slots, ...limited })
    const left = new Promise<'left'>(() => undefined)
    return { surroundings, executor, left, forget: () => undefined }
  }
  const wholeMs = limitMs - leaveMs(limitMs)
  const untilMs = clock.monotonicMs() + wholeMs
  const limited = {
    pool,
    wholeMs,
    leftMs: () => untilMs - clock.monotonicMs(),
    leave: () => leaving.abort(),
  }
  const executor = await startExecutor(asked, surroundings, { deployment, slots, limited })
  const left = clock.sleep(wholeMs, leaving.signal).then(() => 'left' as const)
  return { surroundings, executor, left, forget: () => leaving.abort() }
}

/** Resolves when a deployment was closed or stopped by force, or this process is to end. */
async function untilOver(
  platform: Platform,
  { deployment, over }: AttendedDeployment,
  watching: AbortSignal,
): Promise<'over' | 'forced'> {
  const either = AbortSignal.any([over, watching])
  while (!either.aborted) {
    const control = await platform.control.read(deployment).catch((thrown: unknown) => {
      // What it holds must outlast a bad moment of the store.
      if (producerOf(thrown) !== 'store') throw thrown
      return 'unknown' as const
    })
    if (control === undefined) return 'over'
    if (control !== 'unknown' && control.stop === 'forced') return 'forced'
    if (control !== 'unknown' && control.closed) return 'over'
    await platform.clock.sleep(lookMs, either)
  }
  return 'over'
}
