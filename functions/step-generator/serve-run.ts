import type { EventSink } from '../../shared/engine/events/event.ts'
import { createEventRecorder } from '../../shared/engine/events/event-recorder.ts'
import { keepLease } from '../../shared/engine/executor/lease.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { createStackAttributes } from '../../shared/engine/telemetry/describe-operation.ts'
import { limits } from '../../shared/config/limits.ts'
import { createError } from '../../shared/errors/error.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import {
  createRunEnvironment,
  type RunEnvironment,
  closeRunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../../shared/runtime/environment/run-input.ts'
import { withStoreRetry } from '../../shared/runtime/deployment/retrying-ports.ts'
import {
  createDeduplicatedSinks,
  type RunSink,
} from '../../shared/runtime/deployment/deduplicate-events.ts'
import { generatorLeaseIdOf } from '../../shared/engine/deployment/ownership/generator-lease-id.ts'
import {
  createInlineOperations,
  type InlineOperations,
} from '../../shared/runtime/executor/inline-operations.ts'
import { keepWatchdogArmed } from './watchdog.ts'
import { countOperations, readEarlierEvents } from './earlier-events.ts'
import { type RunEnd, runDeployment } from './run-deployment.ts'
import { emitSummary } from './run-result.ts'
import { prepareRun, maskedConfigOf } from './prepare-run.ts'
import type { StartedDeployment } from './start-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { emitHandOver, emitStartNotices } from './emit-run-events.ts'
import { emitBlockingError } from '../../shared/runtime/deployment/emit-blocking-error.ts'
import { watchStop } from '../../shared/runtime/deployment/watch-stop.ts'
import {
  type StackRunDeps,
  withStackSettings,
} from '../../shared/runtime/environment/stack-run-deps.ts'

/** The limits of a generator run. Without a limit, the run lasts until its deployment has ended. */
export interface RunLimit {
  readonly limitMs?: number
  /** Aborts when the process must hand the deployment over to another process. */
  readonly handOverSignal?: AbortSignal
}

/**
 * Runs the generator once, in a process without knowledge of earlier and later runs. `begin` starts
 * the deployment or takes it over. Executors in other processes run the operations, except those
 * that this process runs inline. Events of earlier runs are not repeated, and the last run emits
 * the summary for all runs. Returns undefined when `begin` returns undefined, because there was
 * nothing to do.
 */
export async function serveRun(
  deps: StackRunDeps,
  request: DeployInput,
  options: RunLimit & {
    /** The deployment to take over. The run takes a lease before it reads this deployment. */
    readonly deployment?: DeploymentId
    readonly begin: (ports: GeneratorPorts) => Promise<StartedDeployment | undefined>
  },
): Promise<RunEnd | undefined> {
  const input = createLimitedInput(deps, request, options)
  const currentDeployment = options.deployment
  // This call assumes the role of the stack. If AWS refuses the role, the request must fail before
  // its deployment begins.
  const inputWithVariables = await withStackSettings(deps, input).catch(async (thrown: unknown) => {
    if (currentDeployment !== undefined) await emitBlockingError(deps, currentDeployment, thrown)
    throw thrown
  })
  // If this run dies before it has a lease, the nudge causes another check of the stack.
  await deps.platform.nudges.nudge(request.stack, limits.watchdogNudgeMs)
  const earlierHeartbeat =
    currentDeployment === undefined ? undefined : await startHeartbeat(input, currentDeployment)
  const startedDeployment = await options.begin(input.ports).catch(async (thrown: unknown) => {
    await earlierHeartbeat?.end()
    throw thrown
  })
  if (startedDeployment === undefined) {
    await earlierHeartbeat?.end()
    return undefined
  }
  const { deployment, earlierRuns } = startedDeployment
  input.ports.ownDeployments?.add(deployment)
  deps.assignUsage?.(deployment)
  const heartbeat = earlierHeartbeat ?? (await startHeartbeat(input, deployment))
  const recorder = createEventRecorder(input.platform, deployment, `generator-${runIdOf(input)}`)
  const { sink, environment } = await openRun(
    { ...inputWithVariables, sink: recorder },
    startedDeployment,
  ).catch(async (thrown: unknown) => {
    input.ports.ownDeployments?.delete(deployment)
    await heartbeat.end()
    await recorder.flush()
    throw thrown
  })
  heartbeat.attach(environment)
  try {
    if (earlierRuns === undefined) sink.emit({ preludeEvent: { config: maskedConfigOf(request) } })
    emitStartNotices(environment.emitter, startedDeployment)
    const runParts = { environment, startedDeployment, time: options, muteEvents: sink.close }
    const end = await runUntilEnd({ ...inputWithVariables, sink }, runParts)
    // A function does not know how many runs preceded, so each run counts as the first.
    if (end.kind === 'handed over')
      emitHandOver({ ...input, sink: recorder }, { end, generatorNumber: 1 })
    return end
  } finally {
    input.ports.ownDeployments?.delete(deployment)
    await heartbeat.end()
    await closeRunEnvironment(environment)
    await recorder.flush()
  }
}

/** Creates the environment of a run, and a sink that drops the events of earlier runs. */
async function openRun(
  input: RunInput,
  { deployment, earlierRuns }: StartedDeployment,
): Promise<{ readonly sink: RunSink; readonly environment: RunEnvironment }> {
  const earlierEvents =
    earlierRuns === undefined ? [] : await readEarlierEvents(input.platform, deployment)
  const sink = createDeduplicatedSinks(input.sink, earlierEvents)()
  const sharedCounts = countOperations(earlierEvents)
  return { sink, environment: await createRunEnvironment({ ...input, sink, sharedCounts }) }
}

/** Creates the input of a generator run: its time limit, store retries, and no events yet. */
function createLimitedInput(
  deps: StackRunDeps,
  request: DeployInput,
  { limitMs, handOverSignal }: RunLimit,
): RunInput {
  const logOutage = (message: string): void =>
    deps.platform.logger.write('warn', 'store.refused', { message })
  const silentSink: EventSink = { emit: () => undefined }
  const limitedRequest: DeployInput = {
    ...request,
    ...(limitMs === undefined ? {} : { functionLimitMs: limitMs }),
    ...(handOverSignal === undefined ? {} : { handOverSignal }),
  }
  // A process without a limit runs no operations inline, because it may end at any time. Its
  // operations would end with it, and the next run would first have to replay a long deployment.
  const inlineOperationsMax = limitMs === undefined ? 0 : (deps.inlineOperationsMax ?? 0)
  const baseInput = { ...deps, inlineOperationsMax, request: limitedRequest, sink: silentSink }
  return withStoreRetry(baseInput, { shouldRetry: () => true, onOutage: logOutage })
}

/** Takes the lease of a generator run and renews it, and keeps a watchdog nudge scheduled. */
async function startHeartbeat({ platform, ports }: RunInput, deployment: DeploymentId) {
  let environment: RunEnvironment | undefined
  const leaseLostError = createError('LEASE_LOST', 'the lease could not be renewed')
  const lease = await keepLease(
    {
      leases: platform.leases,
      clock: platform.clock,
      groups: () => environment?.processes.listGroups() ?? [],
      onLost: () => {
        const attributes = {
          ...createStackAttributes(deploymentPartsOf(deployment).stack),
          'antichain.lease': 'generator',
        }
        platform.telemetry.addToCounter('antichain.lease_losses', 1, attributes)
        environment?.commandRun.abort(leaseLostError)
      },
    },
    { deployment, executor: generatorLeaseIdOf(ports.holder), holder: ports.holder },
  )
  const stopWatchdog = keepWatchdogArmed(platform, deployment, ports.holder)
  return {
    /**
     * Attaches the environment: the lease names its process groups, and the loss of the lease
     * aborts its run.
     */
    attach(runEnvironment: RunEnvironment): void {
      environment = runEnvironment
      if (!lease.holdsLease()) runEnvironment.commandRun.abort(leaseLostError)
    },
    async end(): Promise<void> {
      stopWatchdog()
      await lease.end()
    },
  }
}

/** Runs the generator until its deployment ends or is handed over. */
async function runUntilEnd(
  input: RunInput,
  runParts: {
    readonly environment: RunEnvironment
    readonly startedDeployment: StartedDeployment
    readonly time: RunLimit
    /**
     * Drops all later events of this run. Called before a hand-over kills the program, because the
     * kill is not an error.
     */
    readonly muteEvents: () => void
  },
): Promise<RunEnd> {
  const { platform, ports } = input
  const { environment, startedDeployment, time, muteEvents } = runParts
  const inlineOperations = createInlineOperations(input, environment, {
    ...startedDeployment,
    limitMs: time.limitMs,
  })
  const startedMs = platform.clock.monotonicMs()
  prepareRun(input.request, environment, startedDeployment)
  const stopRequests = followStopRequests(input, { ...runParts, inlineOperations })
  try {
    const inlinePorts = { ...ports, chains: inlineOperations.chains }
    const end = await runDeployment(inlinePorts, startedDeployment, environment.commandRun, {
      areOperationsRunning: inlineOperations.areRunning,
      decideIsCancelled: stopRequests.isCancelled,
      reportedOperations: environment.reportedOperations,
      onRebase: base => {
        environment.providerStateSources.currentBase = base
      },
      async endProgram() {
        await inlineOperations.drain()
        muteEvents()
        return environment.processes.close()
      },
      ...(time.limitMs === undefined ? {} : { limitMs: time.limitMs }),
      ...(time.handOverSignal === undefined ? {} : { handOverSignal: time.handOverSignal }),
    })
    if (end.kind === 'ended') {
      const nowMs = platform.clock.monotonicMs()
      emitSummary(environment, { startedMs, nowMs, result: end.result, isPreview: false })
    }
    return end
  } finally {
    stopRequests.end()
    await inlineOperations.end()
  }
}

/** Applies a user's stop, graceful or forced, to a generator run. */
function followStopRequests(
  input: RunInput,
  {
    environment,
    startedDeployment: { deployment },
    inlineOperations,
  }: {
    readonly environment: RunEnvironment
    readonly startedDeployment: Pick<StartedDeployment, 'deployment'>
    readonly inlineOperations: Pick<InlineOperations, 'abandon'>
  },
): { readonly isCancelled: () => boolean; readonly end: () => void } {
  const { commandRun, plugins, processes } = environment
  let isCancelled = false
  let isForced = false
  const end = watchStop(input, deployment, isForcedStop => {
    if (!isCancelled && !commandRun.hasOwnStop()) {
      isCancelled = true
      commandRun.abort()
      void plugins.cancelAll()
    }
    if (!isForcedStop || isForced) return
    isForced = true
    inlineOperations.abandon()
    plugins.abandon()
    void processes.close()
  })
  return { isCancelled: () => isCancelled, end }
}

function runIdOf({ ports }: RunInput): string {
  return ports.holder.started
}
