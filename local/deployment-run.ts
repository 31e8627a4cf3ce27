import { type LifeEnd, runDeployment } from '../functions/step-generator/handle.ts'
import { wakeDeployment } from '../functions/step-generator/resume.ts'
import { settleIn } from '../functions/step-generator/settle-in.ts'
import type { StartedDeployment } from '../functions/step-generator/start.ts'
import { limits } from '../shared/config/limits.ts'
import { hasCode } from '../shared/errors/error.ts'
import { closeDead } from '../shared/engine/deployment/take-over.ts'
import type { Base } from '../shared/engine/deployment/base.ts'
import { createSlots } from '../shared/engine/deployment/slots.ts'
import type { DeployResult, RunningDeployment } from '../shared/engine/request.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { StackId } from '../shared/records/ids.ts'
import { attend } from './attend.ts'
import { startExecutor } from '../functions/step-executor/executor-loop.ts'
import { pendingNow, resultOf, summary } from '../functions/step-generator/result.ts'
import {
  type Asked,
  surround,
  type Surroundings,
  tearDown,
} from '../functions/surroundings/surround.ts'
import { tellLeft, tellStart } from '../functions/step-generator/tell.ts'
import { watchStop } from '../functions/step-generator/watch-stop.ts'
import type { LifeSink } from '../functions/surroundings/told-once.ts'
import { producerOf } from '../shared/providers/whose-error.ts'

/** One life of the generator in this process. */
export interface LocalLife {
  readonly surroundings: Surroundings
  readonly started: StartedDeployment
  /** What it tells. */
  readonly sink: LifeSink
}

/** What a deployment in this process consists of. */
interface About {
  readonly first: LocalLife
  readonly startedAt: number
  /** The sink of a next life. */
  readonly nextSink: () => LifeSink
}

/**
 * A deployment: its generator, life after life under a time limit, its executors, its stop flag
 * watched.
 */
export function deploymentRun(asked: Asked, about: About): RunningDeployment {
  const { platform } = asked
  const { deployment } = about.first.started
  let now: LocalLife = about.first
  let isCancelled = false
  let isTerminated = false
  let isOpen = true
  let lost: unknown
  const woken = new AbortController()
  const executors = executorsOf(asked, about, thrown => {
    lost ??= thrown
    now.surroundings.life.abort(thrown)
    woken.abort()
  })
  const cancel = (): void => {
    if (isCancelled) return
    isCancelled = true
    now.surroundings.life.abort()
    const stopping = platform.control.stop(deployment, 'graceful')
    stopping.catch(thrown => now.surroundings.life.abort(thrown)).finally(() => woken.abort())
    void now.surroundings.plugins.cancelAll()
    executors.then(({ cancelAll }) => cancelAll()).catch(() => undefined)
  }
  const endWatching = watchStop(asked, deployment, isForced => {
    // What the deployment stopped by itself may be abandoned, too.
    if (isForced) terminate()
    else if (isOpen && !now.surroundings.life.hasStopped()) cancel()
  })
  const isCancelledNow = (): boolean => {
    isOpen = false
    return isCancelled
  }
  const run = async (): Promise<DeployResult> => {
    try {
      await executors
      tellStart(now.surroundings.emitter, now.started)
      for (let number = 1; ; number++) {
        const end = await oneLife(asked, now, isCancelledNow)
        if (end.kind === 'ended') return await ended(asked, { ...about, now, end, isCancelled })
        await tearDown(now.surroundings)
        const next = await nextLife(asked, { ...about, end, number, woken: woken.signal })
        if (lost !== undefined && next === undefined) throw lost
        if (next === undefined && !isCancelled && isLeft(asked)) return left(now.surroundings)
        if (next === undefined) return await cancelled(asked, { ...about, now })
        now = next
        // What was asked of the life before it while this one began is asked of it.
        if (isCancelled || lost !== undefined) now.surroundings.life.abort(lost)
        if (isTerminated) abandon(now)
      }
    } finally {
      endWatching()
      try {
        await (await executors).end()
      } finally {
        await tearDown(now.surroundings)
      }
    }
  }
  const terminate = (): void => {
    if (isTerminated) return
    isTerminated = true
    isCancelled = true
    now.surroundings.life.abort()
    const stopping = platform.control.stop(deployment, 'forced').catch(() => undefined)
    void stopping.then(() => woken.abort())
    abandon(now)
    executors.then(running => running.abandon()).catch(() => undefined)
  }
  return { done: run(), cancel, terminate }
}

function abandon({ surroundings }: LocalLife): void {
  surroundings.plugins.abandon()
  void surroundings.processes.close()
}

/** Runs one life of the generator. */
function oneLife(
  asked: Asked,
  { surroundings, started, sink }: LocalLife,
  isCancelled: () => boolean,
): Promise<LifeEnd> {
  const { baseNow, told, life, processes } = surroundings
  const { functionLimitMs: limitMs, leave } = asked.request
  const isLimited = limitMs !== undefined && started.handedOver?.pool !== 'long'
  return runDeployment(asked.ports, started, life, {
    isCancelled,
    rebase: (base: Base) => {
      baseNow.current = base
    },
    told,
    ...(isLimited ? { limitMs } : {}),
    ...(leave === undefined ? {} : { leave }),
    async endProgram() {
      sink.close()
      await processes.close()
    },
  })
}

/** Waits until it is time for the next life; undefined when it is to be cancelled instead. */
async function nextLife(
  asked: Asked,
  about: Pick<About, 'nextSink'> & {
    readonly end: LifeEnd & { readonly kind: 'left' }
    readonly number: number
    readonly woken: AbortSignal
  },
): Promise<LocalLife | undefined> {
  const { ports, request, platform } = asked
  const { stack, leave } = request
  const over = leave === undefined ? about.woken : AbortSignal.any([about.woken, leave])
  tellLeft(asked, about)
  for (;;) {
    await untilNudged(platform, stack, over)
    if (over.aborted) return undefined
    const started = await wakeDeployment(ports, request).catch((thrown: unknown) => {
      // Somebody stopped it meanwhile.
      if (hasCode(thrown, 'NOTHING_TO_RESUME')) return 'stopped' as const
      throw thrown
    })
    if (started === 'stopped') return undefined
    if (started === undefined) continue
    const sink = about.nextSink()
    const surroundings = await surround({ ...asked, sink })
    settleIn(request, surroundings, started)
    return { surroundings, started, sink }
  }
}

/** A queue that cannot be asked now is no reason to give up: looking once too often is harmless. */
async function untilNudged(
  { nudges, clock }: Platform,
  stack: StackId,
  signal: AbortSignal,
): Promise<void> {
  try {
    await nudges.receive(limits.deadManNudgeMs, { stack, signal })
  } catch (thrown) {
    if (producerOf(thrown) !== 'store') throw thrown
    await clock.sleep(limits.lookMs, signal)
  }
}

/** What runs the operations of a deployment. */
interface Executors {
  readonly cancelAll: () => Promise<void>
  readonly abandon: () => void
  readonly end: () => Promise<void>
}

/** The executors of this process, unless other processes run the operations. */
async function executorsOf(
  asked: Asked,
  { first, nextSink }: About,
  fail: (thrown: unknown) => void,
): Promise<Executors> {
  const { surroundings, started } = first
  const { deployment, pin } = started
  const { functionLimitMs: limitMs, options } = asked.request
  settleIn(asked.request, surroundings, started)
  const none = { cancelAll: async () => undefined, abandon: () => undefined }
  if (pin.options.execute === 'elsewhere') {
    const message =
      'The operations are left to processes of `antichain serve`: without one nothing is done.'
    surroundings.emitter.diagnostic('info', message)
    return { ...none, end: async () => undefined }
  }
  if (limitMs === undefined) {
    const slots = createSlots(Math.max(1, options.parallel))
    const executor = await startExecutor(asked, surroundings, { deployment, slots })
    return { ...none, ...executor }
  }
  const over = new AbortController()
  const apart = { ...asked, sink: nextSink() }
  const attending = attend(apart, { deployment, limitMs, over: over.signal })
  // Else nobody would hear of it before the end.
  attending.done.catch(fail)
  return {
    cancelAll: attending.cancel,
    abandon: attending.abandon,
    async end() {
      over.abort()
      await attending.done
    },
  }
}

async function ended(
  asked: Asked,
  about: Pick<About, 'startedAt'> & {
    readonly now: LocalLife
    readonly end: LifeEnd & { readonly kind: 'ended' }
    readonly isCancelled: boolean
  },
): Promise<DeployResult> {
  const { surroundings } = about.now
  const { result, fault } = about.end
  const pending = await pendingNow(asked)
  summary(surroundings, {
    startedMs: about.startedAt,
    nowMs: asked.platform.clock.monotonicMs(),
    result,
    isPreview: false,
  })
  if (fault !== undefined && !about.isCancelled) throw fault
  return resultOf(surroundings.emitter, result, pending)
}

function isLeft({ request }: Asked): boolean {
  return request.leave?.aborted === true
}

/** What others go on with has not ended: there is nothing to sum up. */
function left({ emitter }: Surroundings): DeployResult {
  return resultOf(emitter, 'interrupted', [])
}

/** A deployment that was cancelled between two lives is only closed. */
async function cancelled(
  asked: Asked,
  { now, startedAt }: Pick<About, 'startedAt'> & { readonly now: LocalLife },
): Promise<DeployResult> {
  const { surroundings, started } = now
  await closeDead(asked.ports, started.deployment, 'cancelled')
  // The life before it is not heard any more.
  const emitter = { ...surroundings.emitter, emit: asked.sink.emit }
  summary(
    { emitter, life: surroundings.life },
    {
      startedMs: startedAt,
      nowMs: asked.platform.clock.monotonicMs(),
      result: 'cancelled',
      isPreview: false,
    },
  )
  return resultOf(emitter, 'cancelled', await pendingNow(asked))
}
