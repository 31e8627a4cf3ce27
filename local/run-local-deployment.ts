import {
  type RunEnd,
  type RunOptions,
  runDeployment,
} from '../functions/step-generator/run-deployment.ts'
import { wakeDeployment } from '../functions/step-generator/resume-deployment.ts'
import { prepareRun } from '../functions/step-generator/prepare-run.ts'
import { limits } from '../shared/config/limits.ts'
import { hasCode } from '../shared/errors/error.ts'
import type { Base } from '../shared/engine/deployment/state/base.ts'
import { createProcessSlots } from '../shared/engine/deployment/dispatch/parallel-limit.ts'
import type { DeployResult, RunningDeployment } from '../shared/engine/request.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { StackId } from '../shared/records/ids.ts'
import { startSeparateExecutors } from './separate-executors.ts'
import { startExecutor } from '../functions/step-executor/start-executor.ts'
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
import { closeCancelledDeployment, finishEndedDeployment } from './close-local-deployment.ts'
import {
  createLocalRun,
  type LocalRun,
  type LocalDeploymentOptions,
} from './local-generator-run.ts'

/**
 * Runs a deployment: its generator, its executors, and the watch on its stop flag. Under a time
 * limit, several generator runs follow each other.
 */
export function runLocalDeployment(
  input: RunInput,
  options: LocalDeploymentOptions,
): RunningDeployment {
  const { platform } = input
  const { deployment } = options.firstRun.startedDeployment
  let currentRun: LocalRun = options.firstRun
  let isCancelled = false
  let isTerminated = false
  let isResultDecided = false
  let failure: unknown
  const waitAbort = new AbortController()
  const abortRun = (reason?: unknown): void => currentRun.environment.commandRun.abort(reason)
  const executors = startExecutors(input, options, thrown => {
    failure ??= thrown
    abortRun(thrown)
    waitAbort.abort()
  })
  const cancel = (): void => {
    if (isCancelled) return
    isCancelled = true
    abortRun()
    const stopWrite = platform.control.stop(deployment, 'graceful')
    stopWrite.catch(abortRun).finally(() => waitAbort.abort())
    cancelProviderCalls(currentRun, executors)
  }
  const endWatching = watchStop(input, deployment, isForced => {
    // A forced stop also applies to a deployment that has already stopped itself.
    if (isForced) terminate()
    else if (!isResultDecided && !currentRun.environment.commandRun.hasOwnStop()) cancel()
  })
  const decideIsCancelled = (): boolean => {
    isResultDecided = true
    return isCancelled
  }
  const execute = async (): Promise<DeployResult> => {
    try {
      await executors
      emitStartNotices(currentRun.environment.emitter, currentRun.startedDeployment)
      for (let generatorNumber = 1; ; generatorNumber++) {
        const end = await runGenerator(input, currentRun, decideIsCancelled)
        if (end.kind === 'ended')
          return await finishEndedDeployment(input, { ...options, currentRun, end, isCancelled })
        await closeRunEnvironment(currentRun.environment)
        const waitContext = { ...options, end, generatorNumber, waitSignal: waitAbort.signal }
        const nextRun = await awaitNextRun(input, waitContext)
        if (nextRun === undefined)
          return await endWithoutNextRun(input, { ...options, currentRun, isCancelled, failure })
        currentRun = nextRun
        // A cancellation during the start of this generator run applies to the run as well.
        if (isCancelled || failure !== undefined) abortRun(failure)
        if (isTerminated) abandonRun(currentRun)
      }
    } finally {
      endWatching()
      await closeExecutorsAndRun(currentRun, executors)
    }
  }
  const terminate = (): void => {
    if (isTerminated) return
    isTerminated = true
    isCancelled = true
    abortRun()
    const stopWrite = platform.control.stop(deployment, 'forced').catch(() => undefined)
    void stopWrite.then(() => waitAbort.abort())
    abandonRun(currentRun)
    executors.then(runningExecutors => runningExecutors.abandon()).catch(() => undefined)
  }
  return { done: execute(), cancel, terminate }
}

/** Asks the providers of this process to cancel their running calls. */
function cancelProviderCalls(
  currentRun: LocalRun,
  executors: ReturnType<typeof startExecutors>,
): void {
  void currentRun.environment.plugins.cancelAll()
  executors.then(({ cancelAll }) => cancelAll()).catch(() => undefined)
}

/**
 * Returns the result of a deployment that has no next generator run in this process. Throws the
 * failure of an executor. After a shutdown of this process without a cancellation, other processes
 * continue the deployment. In all other cases, the deployment is closed as cancelled.
 */
async function endWithoutNextRun(
  input: RunInput,
  lastRun: Pick<LocalDeploymentOptions, 'startedMs'> & {
    readonly currentRun: LocalRun
    readonly isCancelled: boolean
    readonly failure: unknown
  },
): Promise<DeployResult> {
  if (lastRun.failure !== undefined) throw lastRun.failure
  if (!lastRun.isCancelled && isShuttingDown(input))
    return interruptedResultOf(lastRun.currentRun.environment)
  return closeCancelledDeployment(input, lastRun)
}

/** Ends the executors, and then the environment of the generator, even if the executors fail. */
async function closeExecutorsAndRun(
  currentRun: LocalRun,
  executors: ReturnType<typeof startExecutors>,
): Promise<void> {
  try {
    await (await executors).end()
  } finally {
    await closeRunEnvironment(currentRun.environment)
  }
}

function abandonRun({ environment, inlineOperations }: LocalRun): void {
  inlineOperations.abandon()
  environment.plugins.abandon()
  void environment.processes.close()
}

/** Runs the generator until the deployment ends or is handed over. */
async function runGenerator(
  input: RunInput,
  { environment, startedDeployment, inlineOperations, sink }: LocalRun,
  decideIsCancelled: RunOptions['decideIsCancelled'],
): Promise<RunEnd> {
  const { providerStateSources, reportedOperations, commandRun, processes } = environment
  const { functionLimitMs: limitMs, handOverSignal } = input.request
  const isLimited = limitMs !== undefined && startedDeployment.handedOver?.pool !== 'long'
  const ports = { ...input.ports, chains: inlineOperations.chains }
  const pendingEnd = runDeployment(ports, startedDeployment, commandRun, {
    decideIsCancelled,
    areOperationsRunning: inlineOperations.areRunning,
    onRebase: (base: Base) => {
      providerStateSources.currentBase = base
    },
    reportedOperations,
    ...(isLimited ? { limitMs } : {}),
    ...(handOverSignal === undefined ? {} : { handOverSignal }),
    async endProgram() {
      await inlineOperations.drain()
      sink.close()
      await processes.close()
    },
  })
  try {
    return await pendingEnd
  } finally {
    await inlineOperations.end()
  }
}

/**
 * Waits until the next generator run is due. Returns undefined when the deployment was stopped,
 * when an executor failed, or when this process must leave the deployment to other processes.
 */
async function awaitNextRun(
  input: RunInput,
  waitContext: Pick<LocalDeploymentOptions, 'createNextSink'> & {
    readonly end: RunEnd & { readonly kind: 'handed over' }
    readonly generatorNumber: number
    readonly waitSignal: AbortSignal
  },
): Promise<LocalRun | undefined> {
  const { ports, request, platform } = input
  const { stack, handOverSignal } = request
  const endSignal =
    handOverSignal === undefined
      ? waitContext.waitSignal
      : AbortSignal.any([waitContext.waitSignal, handOverSignal])
  emitHandOver(input, waitContext)
  for (;;) {
    await awaitNudge(platform, stack, endSignal)
    if (endSignal.aborted) return undefined
    const startedDeployment = await wakeDeployment(ports, request).catch((thrown: unknown) => {
      // The deployment was stopped meanwhile.
      if (hasCode(thrown, 'NOTHING_TO_RESUME')) return 'stopped' as const
      throw thrown
    })
    if (startedDeployment === 'stopped') return undefined
    if (startedDeployment === undefined) continue
    const sink = waitContext.createNextSink()
    const environment = await createRunEnvironment({ ...input, sink })
    prepareRun(request, environment, startedDeployment)
    return createLocalRun(input, { environment, startedDeployment, sink })
  }
}

/**
 * Waits until a nudge arrives or `watchdogNudgeMs` has passed. Pauses while the queue is
 * unavailable. The caller then checks the deployment, and a superfluous check is harmless.
 */
async function awaitNudge(
  { nudges, clock }: Platform,
  stack: StackId,
  signal: AbortSignal,
): Promise<void> {
  try {
    await nudges.receive(limits.watchdogNudgeMs, { stack, signal })
  } catch (thrown) {
    if (errorSourceOf(thrown) !== 'store') throw thrown
    await clock.sleep(limits.livenessCheckMs, signal)
  }
}

/** The executors of a deployment in this process, if it has any. */
interface Executors {
  readonly cancelAll: () => Promise<void>
  readonly abandon: () => void
  readonly end: () => Promise<void>
}

/**
 * Prepares the first generator run. Then starts the executors of this process, unless other
 * processes run the operations.
 */
async function startExecutors(
  input: RunInput,
  { firstRun, createNextSink }: LocalDeploymentOptions,
  onFailure: (thrown: unknown) => void,
): Promise<Executors> {
  const { environment, startedDeployment } = firstRun
  const { deployment, pin } = startedDeployment
  const { functionLimitMs: limitMs, options } = input.request
  prepareRun(input.request, environment, startedDeployment)
  const noActions = { cancelAll: async () => undefined, abandon: () => undefined }
  if (pin.options.execute !== 'here') {
    const message =
      'Processes of `antichain serve` run the operations. If none is running, the operations wait.'
    environment.emitter.report('info', message)
    return { ...noActions, end: async () => undefined }
  }
  if (limitMs === undefined) {
    const slots = createProcessSlots(options)
    const executor = await startExecutor(input, environment, { deployment, slots })
    return { ...noActions, ...executor }
  }
  const shutdown = new AbortController()
  const executorInput = { ...input, sink: createNextSink() }
  const executors = startSeparateExecutors(executorInput, {
    deployment,
    limitMs,
    shutdown: shutdown.signal,
  })
  // Without this handler, a failure would be reported only at the end.
  executors.done.catch(onFailure)
  return {
    cancelAll: executors.cancel,
    abandon: executors.abandon,
    async end() {
      shutdown.abort()
      await executors.done
    },
  }
}

/** Reports whether this process is shutting down. Other processes then continue the deployment. */
function isShuttingDown({ request }: RunInput): boolean {
  return request.handOverSignal?.aborted === true
}

/** Returns the result of a deployment that other processes continue, without a summary. */
function interruptedResultOf({ emitter }: RunEnvironment): DeployResult {
  return toDeployResult(emitter, 'interrupted', [])
}
