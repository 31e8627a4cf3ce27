import { pollDeliveries } from './poll-deliveries.ts'
import { adaptChainQueue } from '../../shared/engine/deployment/dispatch/adapt-chain-queue.ts'
import { createSealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import {
  admissionOf,
  type FunctionTime,
  type EarlierDurations,
} from '../../shared/engine/executor/pool-admission.ts'
import { openPinnedBase } from './pinned-base.ts'
import { createExecutor } from '../../shared/engine/executor/executor.ts'
import type { ExecutionContext } from '../../shared/engine/executor/execution-context.ts'
import { createLogIndex, type LogIndex } from '../../shared/engine/executor/log-index.ts'
import { deliveryLimitOf } from '../../shared/engine/deployment/dispatch/concurrency-limit.ts'
import type { OperationSlots } from '../../shared/engine/deployment/dispatch/operation-slots.ts'
import { createStepOpener } from '../../shared/engine/executor/step-opener.ts'
import {
  type CallLimiter,
  createCallLimiter,
} from '../../shared/engine/call-limits/call-limiter.ts'
import { findProviderInputs } from '../../shared/runtime/environment/run-environment.ts'
import { keepLease, type RenewedLease } from '../../shared/engine/executor/lease.ts'
import { limits } from '../../shared/config/limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId } from '../../shared/records/ids.ts'
import { isRunByGenerator } from '../../shared/records/operation.ts'
import { createExecutorShutdown } from './executor-shutdown.ts'
import type { RunEnvironment } from '../../shared/runtime/environment/run-environment.ts'
import type { RunInput } from '../../shared/runtime/environment/run-input.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'

/** An executor that polls the queue and keeps its lease. */
export interface RunningExecutor {
  /** Receives no more deliveries. Resolves when all operations and the lease have ended. */
  readonly end: () => Promise<void>
  /** Abandons outcomes that are not recorded yet. */
  readonly abandon: () => void
}

/** The deployment of an executor, and the limits of the executor. */
interface ExecutorAssignment {
  readonly deployment: DeploymentId
  /** The index of the log from an earlier call. Absent: no earlier call has read the log. */
  readonly logIndex?: LogIndex
  /** The slots that limit how many operations of a deployment this process runs concurrently. */
  readonly slots: OperationSlots
  /**
   * The time limit, if there is one. `leave` is called when too little time remains. It ends the
   * executor early, so that another executor receives the deferred operation.
   */
  readonly timeLimit?: FunctionTime & { readonly leave: () => void }
}

/** The executor of one deployment, with its lease. The caller passes the deliveries. */
export interface DeploymentExecutor {
  readonly executor: ExecutorId
  /** Runs a delivery like `Executor.runDelivery`, and counts it for the shutdown. */
  readonly runDelivery: (delivery: Delivery) => Promise<void>
  /**
   * Reports whether the executor begins no more operations, because it could neither end nor give
   * back an operation that it had begun.
   */
  readonly isShuttingDown: () => boolean
  /** Ends the lease of the executor. The caller must have awaited all deliveries. */
  readonly end: () => Promise<void>
  /** Abandons outcomes that are not recorded yet. */
  readonly abandon: () => void
}

/** Creates the executor of a deployment, and takes its lease. */
export async function createDeploymentExecutor(
  input: RunInput,
  environment: RunEnvironment,
  {
    deployment,
    slots,
    timeLimit,
    logIndex = createLogIndex(input.platform, deployment),
  }: ExecutorAssignment,
): Promise<DeploymentExecutor> {
  const { platform, request } = input
  const { providerStateSources } = environment
  const executor = platform.random.uuid() as ExecutorId
  const lease = await takeLease(input, environment, { deployment, executor })
  const shutdown = createExecutorShutdown(lease)
  const sealing = createSealing(request.secrets)
  const openStep = createStepOpener({
    deployment,
    logIndex,
    operations: platform.operations,
    sealing,
    baseOfPin: pin => openPinnedBase(input, providerStateSources, pin),
  })
  const earlierDurationsMs = new Map(
    timeLimit === undefined ? [] : await platform.catalog.listSlowOperations(request.stack),
  )
  const context: ExecutionContext = {
    deployment,
    logIndex,
    sealing,
    openStep,
    emitter: environment.emitter,
    reportedOperations: environment.reportedOperations,
    performDeps: { ...environment.performDeps, provider: withRecordedGroups(environment, lease) },
    holdsLease: () => !shutdown.isShuttingDown() && lease.holdsLease(),
    isAbandoned: shutdown.isAbandoned,
    onUnsettledBegin: shutdown.start,
    mayGeneratorPark: request.functionLimitMs !== undefined || request.options.execute !== 'here',
    slots,
    limiter: createExecutorLimiter(input, environment, deployment, timeLimit),
    providerInputsOf: reference => findProviderInputs(providerStateSources, reference),
    earlierDurationsMs,
    admit: createAdmitter(openStep, earlierDurationsMs, timeLimit),
  }
  providerStateSources.findInReadLog = (urn, id) => {
    const state = logIndex.providerStateOf(urn, id)
    return state === undefined ? undefined : sealing.open(state)
  }
  providerStateSources.findExtension = ref => logIndex.extensionOf(ref)
  const contextOf = async (
    requestedDeployment: DeploymentId,
  ): Promise<ExecutionContext | undefined> =>
    requestedDeployment === deployment ? context : undefined
  const chains = adaptChainQueue(request.options, platform.chains)
  const { runDelivery } = createExecutor({ ...platform, chains }, { executor, contextOf })
  return {
    executor,
    runDelivery: delivery => shutdown.track(runDelivery(delivery)),
    isShuttingDown: shutdown.isShuttingDown,
    end: () => lease.end(),
    abandon: shutdown.abandon,
  }
}

/**
 * Time that an operation waits for a limit while its message is in delivery, in ms. Processes that
 * share deliveries send it again later, so that it takes no place of others.
 */
const sharedWaitMs = 5_000

/** Creates the limiter of an executor's provider calls. */
function createExecutorLimiter(
  { platform, request }: RunInput,
  { emitter }: RunEnvironment,
  deployment: DeploymentId,
  timeLimit: FunctionTime | undefined,
): CallLimiter {
  const isAlone = request.options.execute === 'here' && timeLimit === undefined
  return createCallLimiter({
    ...platform,
    deployment,
    stack: request.stack,
    rules: request.callLimits ?? [],
    report: (severity, message) => emitter.report(severity, message),
    waitMaxMs: isAlone ? Infinity : sharedWaitMs,
  })
}

/** Starts an executor that runs in this process and polls the queue. */
export async function startExecutor(
  input: RunInput,
  environment: RunEnvironment,
  assignment: ExecutorAssignment,
): Promise<RunningExecutor> {
  const { platform, request } = input
  const { deployment, timeLimit } = assignment
  const deploymentExecutor = await createDeploymentExecutor(input, environment, assignment)
  const { executor, isShuttingDown, abandon } = deploymentExecutor
  const onFailure = (thrown: unknown, { deliveries }: Delivery): void => {
    // A failed delivery aborts the run after an error of the store, such as a full disk. Any failed
    // delivery aborts it during a shutdown of the executor, and at a message's last delivery.
    const isLastDelivery = deliveries >= limits.deliveriesMax
    if (!isLastDelivery && !isShuttingDown() && errorSourceOf(thrown) !== 'store') return
    environment.commandRun.abort(thrown)
  }
  const operationsMax = deliveryLimitOf(request.options)
  const receiveOptions = {
    ...(timeLimit === undefined ? {} : { pool: timeLimit.pool }),
    ...(operationsMax === undefined ? {} : { deliveryLimit: { executor, operationsMax } }),
  }
  const polling = pollDeliveries(platform, deploymentExecutor, {
    deployment,
    onFailure,
    ...receiveOptions,
  })
  return {
    async end() {
      await polling.end()
      await deploymentExecutor.end()
    },
    abandon,
  }
}

/**
 * Takes the lease of an executor. When the lease is lost, running operations are abandoned, because
 * other processes may recover them.
 */
function takeLease(
  { platform, ports }: RunInput,
  environment: RunEnvironment,
  identity: { readonly deployment: DeploymentId; readonly executor: ExecutorId },
): Promise<RenewedLease> {
  const deps = {
    leases: platform.leases,
    clock: platform.clock,
    groups: () => environment.processes.listGroups(),
    onLost: () => {
      const message = 'the lease could not be renewed in time; running operations are abandoned'
      environment.commandRun.abort(error('LEASE_LOST', message))
      environment.plugins.abandon()
      void environment.processes.close()
    },
  }
  return keepLease(deps, { ...identity, holder: ports.holder })
}

/**
 * Returns the function that resolves providers, with one addition. It records the process group of
 * a plugin in the lease before the first call of the plugin.
 */
function withRecordedGroups(
  { performDeps }: RunEnvironment,
  lease: RenewedLease,
): ExecutionContext['performDeps']['provider'] {
  return async (reference, extension) => {
    const provider = await performDeps.provider(reference, extension)
    await lease.recordGroups()
    return provider
  }
}

/** Creates the check that decides before each begin whether enough time remains. */
function createAdmitter(
  openStep: ExecutionContext['openStep'],
  earlierDurationsMs: EarlierDurations,
  timeLimit: ExecutorAssignment['timeLimit'],
): ExecutionContext['admit'] {
  if (timeLimit === undefined) return async () => 'now'
  return async operation => {
    if (isRunByGenerator(operation)) return 'now'
    // An operation that cannot be opened is admitted, and fails later with that error.
    const step = await openStep(operation).catch(() => undefined)
    const admission = step === undefined ? 'now' : admissionOf(step, earlierDurationsMs, timeLimit)
    // Unless the executor leaves, it would receive the operation again.
    if (admission === 'later') timeLimit.leave()
    return admission
  }
}
