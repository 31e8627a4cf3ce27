import { type RunEnd, runDeployment } from '../functions/step-generator/run-deployment.ts'
import { wakeDeployment } from '../functions/step-generator/resume-deployment.ts'
import { prepareRun } from '../functions/step-generator/prepare-run.ts'
import { limits } from '../shared/config/limits.ts'
import { hasCode } from '../shared/errors/error.ts'
import type { Base } from '../shared/engine/deployment/state/base.ts'
import { createSlots } from '../shared/engine/deployment/dispatch/slots.ts'
import type { DeployResult, RunningDeployment } from '../shared/engine/request.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { StackId } from '../shared/records/ids.ts'
import { superviseExecutors } from './executor-supervisor.ts'
import { startExecutor } from '../functions/step-executor/deployment-executor.ts'
import { toDeployResult } from '../functions/step-generator/run-result.ts'
import {
  createRunEnvironment,
  type RunEnvironment,
  closeRunEnvironment,
} from '../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../shared/runtime/environment/run-input.ts'
import { emitHandOver, emitStartNotices } from '../functions/step-generator/emit-run-events.ts'
import { watchStop } from '../shared/runtime/deployment/watch-stop.ts'
import { errorSourceOf } from '../shared/providers/retry-policy.ts'
import { closeCancelled, finishEnded } from './close-local-deployment.ts'
import type { LocalRun, LocalDeploymentOptions } from './local-run.ts'

/**
 * Runs a deployment: its generator, in several runs under a time limit, its executors, and the
 * watch on its stop flag.
 */
export function runLocalDeployment(
  input: RunInput,
  options: LocalDeploymentOptions,
): RunningDeployment {
  const { platform } = input
  const { deployment } = options.first.started
  let current: LocalRun = options.first
  let isCancelled = false
  let isTerminated = false
  let isOpen = true
  let lost: unknown
  const woken = new AbortController()
  const executors = startExecutors(input, options, thrown => {
    lost ??= thrown
    current.environment.run.abort(thrown)
    woken.abort()
  })
  const cancel = (): void => {
    if (isCancelled) return
    isCancelled = true
    current.environment.run.abort()
    const stopping = platform.control.stop(deployment, 'graceful')
    stopping.catch(thrown => current.environment.run.abort(thrown)).finally(() => woken.abort())
    cancelProviderCalls(current, executors)
  }
  const endWatching = watchStop(input, deployment, isForced => {
    // A deployment that stopped by itself can be abandoned too.
    if (isForced) terminate()
    else if (isOpen && !current.environment.run.hasStopped()) cancel()
  })
  const freezeCancelled = (): boolean => {
    isOpen = false
    return isCancelled
  }
  const execute = async (): Promise<DeployResult> => {
    try {
      await executors
      emitStartNotices(current.environment.emitter, current.started)
      for (let number = 1; ; number++) {
        const end = await runGenerator(input, current, freezeCancelled)
        if (end.kind === 'ended')
          return await finishEnded(input, { ...options, current, end, isCancelled })
        await closeRunEnvironment(current.environment)
        const next = await awaitNextRun(input, { ...options, end, number, woken: woken.signal })
        if (lost !== undefined && next === undefined) throw lost
        if (next === undefined && !isCancelled && isLeaving(input))
          return interruptedResultOf(current.environment)
        if (next === undefined) return await closeCancelled(input, { ...options, current })
        current = next
        // A cancellation during the start of this generator run applies to it as well.
        if (isCancelled || lost !== undefined) current.environment.run.abort(lost)
        if (isTerminated) abandonRun(current)
      }
    } finally {
      endWatching()
      await closeAll(current, executors)
    }
  }
  const terminate = (): void => {
    if (isTerminated) return
    isTerminated = true
    isCancelled = true
    current.environment.run.abort()
    const stopping = platform.control.stop(deployment, 'forced').catch(() => undefined)
    void stopping.then(() => woken.abort())
    abandonRun(current)
    executors.then(running => running.abandon()).catch(() => undefined)
  }
  return { done: execute(), cancel, terminate }
}

/** Requests a quick end of their calls from all providers. */
function cancelProviderCalls(
  current: LocalRun,
  executors: ReturnType<typeof startExecutors>,
): void {
  void current.environment.plugins.cancelAll()
  executors.then(({ cancelAll }) => cancelAll()).catch(() => undefined)
}

/** Ends the executors, then the environment of the generator, even if the former fails. */
async function closeAll(
  current: LocalRun,
  executors: ReturnType<typeof startExecutors>,
): Promise<void> {
  try {
    await (await executors).end()
  } finally {
    await closeRunEnvironment(current.environment)
  }
}

function abandonRun({ environment }: LocalRun): void {
  environment.plugins.abandon()
  void environment.processes.close()
}

/** Runs the generator once. */
function runGenerator(
  input: RunInput,
  { environment, started, sink }: LocalRun,
  isCancelled: () => boolean,
): Promise<RunEnd> {
  const { baseLookup, reported, run, processes } = environment
  const { functionLimitMs: limitMs, leave } = input.request
  const isLimited = limitMs !== undefined && started.handedOver?.pool !== 'long'
  return runDeployment(input.ports, started, run, {
    isCancelled,
    rebase: (base: Base) => {
      baseLookup.current = base
    },
    reported,
    ...(isLimited ? { limitMs } : {}),
    ...(leave === undefined ? {} : { leave }),
    async endProgram() {
      sink.close()
      await processes.close()
    },
  })
}

/**
 * Waits until the next generator run is due. Returns undefined when the deployment must be
 * cancelled instead.
 */
async function awaitNextRun(
  input: RunInput,
  handedOver: Pick<LocalDeploymentOptions, 'nextSink'> & {
    readonly end: RunEnd & { readonly kind: 'left' }
    readonly number: number
    readonly woken: AbortSignal
  },
): Promise<LocalRun | undefined> {
  const { ports, request, platform } = input
  const { stack, leave } = request
  const over = leave === undefined ? handedOver.woken : AbortSignal.any([handedOver.woken, leave])
  emitHandOver(input, handedOver)
  for (;;) {
    await awaitNudge(platform, stack, over)
    if (over.aborted) return undefined
    const started = await wakeDeployment(ports, request).catch((thrown: unknown) => {
      // The deployment was stopped meanwhile.
      if (hasCode(thrown, 'NOTHING_TO_RESUME')) return 'stopped' as const
      throw thrown
    })
    if (started === 'stopped') return undefined
    if (started === undefined) continue
    const sink = handedOver.nextSink()
    const environment = await createRunEnvironment({ ...input, sink })
    prepareRun(request, environment, started)
    return { environment, started, sink }
  }
}

/** An unavailable queue is no reason to give up, because a superfluous check is harmless. */
async function awaitNudge(
  { nudges, clock }: Platform,
  stack: StackId,
  signal: AbortSignal,
): Promise<void> {
  try {
    await nudges.receive(limits.watchdogNudgeMs, { stack, signal })
  } catch (thrown) {
    if (errorSourceOf(thrown) !== 'store') throw thrown
    await clock.sleep(limits.lookMs, signal)
  }
}

/** The executors of a deployment. */
interface Executors {
  readonly cancelAll: () => Promise<void>
  readonly abandon: () => void
  readonly end: () => Promise<void>
}

/** Starts the executors of this process, unless other processes run the operations. */
async function startExecutors(
  input: RunInput,
  { first, nextSink }: LocalDeploymentOptions,
  onFailure: (thrown: unknown) => void,
): Promise<Executors> {
  const { environment, started } = first
  const { deployment, pin } = started
  const { functionLimitMs: limitMs, options } = input.request
  prepareRun(input.request, environment, started)
  const none = { cancelAll: async () => undefined, abandon: () => undefined }
  if (pin.options.execute === 'elsewhere') {
    const message =
      'The operations are left to processes of `antichain serve`; they do not start until one is running.'
    environment.emitter.report('info', message)
    return { ...none, end: async () => undefined }
  }
  if (limitMs === undefined) {
    const slots = createSlots(Math.max(1, options.parallel))
    const executor = await startExecutor(input, environment, { deployment, slots })
    return { ...none, ...executor }
  }
  const over = new AbortController()
  const apart = { ...input, sink: nextSink() }
  const attending = superviseExecutors(apart, { deployment, limitMs, over: over.signal })
  // Otherwise the failure would be reported only at the end.
  attending.done.catch(onFailure)
  return {
    cancelAll: attending.cancel,
    abandon: attending.abandon,
    async end() {
      over.abort()
      await attending.done
    },
  }
}

function isLeaving({ request }: RunInput): boolean {
  return request.leave?.aborted === true
}

/** A deployment that other processes continue has not ended, so it has no summary. */
function interruptedResultOf({ emitter }: RunEnvironment): DeployResult {
  return toDeployResult(emitter, 'interrupted', [])
}
