import { adaptChainQueue } from '../../engine/deployment/dispatch/adapt-chain-queue.ts'
import { createSealing } from '../../engine/deployment/state/state-sealing.ts'
import {
  admissionOf,
  type FunctionTime,
  type EarlierDurations,
} from '../../engine/executor/pool-admission.ts'
import { openPinnedBase } from './pinned-base.ts'
import { createExecutor } from '../../engine/executor/executor.ts'
import type { ExecutionContext } from '../../engine/executor/execution-context.ts'
import { createLogIndex, type LogIndex } from '../../engine/executor/log-index.ts'
import type { OperationSlots } from '../../engine/deployment/dispatch/operation-slots.ts'
import { createStepOpener } from '../../engine/executor/step-opener.ts'
import { type CallLimiter, createCallLimiter } from '../../engine/call-limits/call-limiter.ts'
import { restoreTrace } from '../../engine/telemetry/deployment-trace.ts'
import {
  createOperationObserver,
  type ObserveOperation,
  observeNothing,
} from '../../engine/telemetry/observe-operation.ts'
import { createStackAttributes } from '../../engine/telemetry/describe-operation.ts'
import { readFirstPin } from '../../engine/deployment/log/supported-rules.ts'
import { findProviderInputs } from '../environment/run-environment.ts'
import { keepLease, type RenewedLease } from '../../engine/executor/lease.ts'
import { createError } from '../../errors/error.ts'
import type { Delivery } from '../../ports/queue.ts'
import { type DeploymentId, deploymentPartsOf, type ExecutorId } from '../../records/ids.ts'
import { isJoinOrHook } from '../../records/operation.ts'
import { createExecutorShutdown } from './executor-shutdown.ts'
import type { RunEnvironment } from '../environment/run-environment.ts'
import type { RunInput } from '../environment/run-input.ts'

/** The deployment of an executor, and the limits of the executor. */
export interface ExecutorAssignment {
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

/** The executor of one deployment, with its lease. The caller passes deliveries to it. */
export interface DeploymentExecutor {
  readonly executor: ExecutorId
  /** Runs a delivery like `Executor.runDelivery`. A shutdown waits for the delivery. */
  readonly runDelivery: (delivery: Delivery) => Promise<void>
  /**
   * Reports whether the executor begins no more operations: after `stopBeginning`, or because it
   * could neither end nor give back an operation that it had begun.
   */
  readonly isShuttingDown: () => boolean
  /** Begins no more operations. Running operations still record their outcomes. */
  readonly stopBeginning: () => void
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
  const observe = await createObserver(input, environment, deployment)
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
    observe,
  }
  providerStateSources.findInLogSoFar = (urn, id) => {
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
    stopBeginning: shutdown.start,
    end: () => lease.end(),
    abandon: shutdown.abandon,
  }
}

/**
 * Maximum time in ms that an operation waits for a call limit, if the deployment may have other
 * executors. An operation that must wait longer is sent to the queue again. So waiting operations
 * do not occupy deliveries that other operations could use.
 */
const sharedWaitMs = 5_000

/** Creates the observer of operations. Reads the pin of the log only if telemetry is on. */
async function createObserver(
  { platform }: RunInput,
  { trace: runTrace }: RunEnvironment,
  deployment: DeploymentId,
): Promise<ObserveOperation> {
  if (!platform.telemetry.isOn) return observeNothing
  const pin = await readFirstPin(platform, deployment)
  const trace = restoreTrace(deployment, pin ?? { base: '' })
  runTrace.joinDeployment(trace)
  return createOperationObserver(platform, deployment, trace)
}

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
      const attributes = {
        ...createStackAttributes(deploymentPartsOf(identity.deployment).stack),
        'antichain.lease': 'executor',
      }
      platform.telemetry.addToCounter('antichain.lease_losses', 1, attributes)
      const message = 'the lease could not be renewed in time; running operations are abandoned'
      environment.commandRun.abort(createError('LEASE_LOST', message))
      environment.plugins.abandon()
      void environment.processes.close()
    },
  }
  return keepLease(deps, { ...identity, holder: ports.holder })
}

/**
 * Returns the function that resolves providers. The function also records the process group of a
 * plugin in the lease before the first call to the plugin.
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
    if (isJoinOrHook(operation)) return 'now'
    // An operation that cannot be opened is admitted, and fails later with the error of the
    // opening.
    const step = await openStep(operation).catch(() => undefined)
    const admission = step === undefined ? 'now' : admissionOf(step, earlierDurationsMs, timeLimit)
    // Unless the executor leaves, it would receive the operation again.
    if (admission === 'later') timeLimit.leave()
    return admission
  }
}
