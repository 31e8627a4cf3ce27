import { createEventRecorder } from '../../shared/engine/events/event-recorder.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import { shutdownMarginMsOf } from '../../shared/engine/deployment/ownership/decide-hand-over.ts'
import type { Pin } from '../../shared/engine/deployment/log/log-view.ts'
import {
  readFirstPin,
  requireSupportedRules,
} from '../../shared/engine/deployment/log/supported-rules.ts'
import { createLogIndex } from '../../shared/engine/executor/log-index.ts'
import { createOperationSlots } from '../../shared/engine/deployment/dispatch/operation-slots.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { limits } from '../../shared/config/limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import {
  withStackSettings,
  type StackRunDeps,
} from '../../shared/runtime/environment/stack-run-deps.ts'
import { emitBlockingError } from '../../shared/runtime/deployment/emit-blocking-error.ts'
import { watchStop } from '../../shared/runtime/deployment/watch-stop.ts'
import {
  createRunEnvironment,
  closeRunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import { createDeploymentExecutor } from '../../shared/runtime/executor/deployment-executor.ts'
import { reportChainWaits } from './report-chain-waits.ts'
import { type WarmRun, type WarmCache, warmExpiryOf } from './warm-cache.ts'

/** The dependencies of serving deliveries. */
export interface DeliveryServer extends StackRunDeps {
  /** Returns the request of a deployment from its pin. */
  readonly reopen: (deployment: DeploymentId, pin: Pin) => Promise<DeployInput>
}

/** The options of serving deliveries in one function call or long-pool round. */
export interface DeliveryOptions {
  /** The pool of the queue. */
  readonly pool: Pool
  /** Time until the function is stopped, in ms. Absent: no limit. */
  readonly limitMs?: number
  /**
   * The cache of earlier calls in the same function environment. Without it, no plugins stay
   * configured for a later call.
   */
  readonly warmCache?: WarmCache
}

/** The deliveries to repeat, and the deliveries of stacks that this environment does not serve. */
export interface ChainDeliveryResult<D extends Delivery> {
  readonly failedDeliveries: readonly D[]
  readonly foreignDeliveries: readonly D[]
}

/**
 * Runs deliveries of any deployments. Each deployment has an executor with a lease of its own. All
 * executors share the remaining time.
 */
export async function serveDeliveries<D extends Delivery>(
  server: DeliveryServer,
  deliveries: readonly D[],
  options: DeliveryOptions,
): Promise<ChainDeliveryResult<D>> {
  const deliveriesByDeployment = new Map<DeploymentId, D[]>()
  for (const delivery of deliveries) {
    const { deployment } = delivery.message
    deliveriesByDeployment.set(deployment, [
      ...(deliveriesByDeployment.get(deployment) ?? []),
      delivery,
    ])
  }
  const results = await Promise.all(
    [...deliveriesByDeployment].map(([deployment, deploymentDeliveries]) =>
      serveDeployment(server, { deployment, deploymentDeliveries, ...options }).catch(
        (thrown: unknown) => {
          logFailure(server, deployment, thrown)
          return { failedDeliveries: deploymentDeliveries, foreignDeliveries: [] }
        },
      ),
    ),
  )
  return {
    failedDeliveries: results.flatMap(({ failedDeliveries }) => failedDeliveries),
    foreignDeliveries: results.flatMap(({ foreignDeliveries }) => foreignDeliveries),
  }
}

/** The deliveries of one deployment. */
interface DeploymentDeliveries<D extends Delivery> extends DeliveryOptions {
  readonly deployment: DeploymentId
  readonly deploymentDeliveries: readonly D[]
}

function logFailure({ platform }: DeliveryServer, deployment: DeploymentId, thrown: unknown): void {
  platform.logger.write('error', 'delivery.failed', { deployment, message: messageOf(thrown) })
}

async function serveDeployment<D extends Delivery>(
  server: DeliveryServer,
  options: DeploymentDeliveries<D>,
): Promise<ChainDeliveryResult<D>> {
  const { platform } = server
  const { deployment, deploymentDeliveries, warmCache } = options
  const control = await platform.control.read(deployment)
  const pin = await readFirstPin(platform, deployment)
  if (control === undefined || control.closed || pin === undefined) {
    // The deployment is closed, or has no records. No operation of it can begin, so the executor
    // removes its messages.
    for (const { receipt } of deploymentDeliveries) await platform.chains.remove(receipt)
    return { failedDeliveries: [], foreignDeliveries: [] }
  }
  const { stack } = deploymentPartsOf(deployment)
  if (server.mayServe?.(stack) === false)
    return { failedDeliveries: [], foreignDeliveries: deploymentDeliveries }
  server.assignUsage?.(deployment)
  requireSupportedRules(deployment, pin)
  reportChainWaits(platform, deploymentDeliveries)
  const warmRun =
    (await warmCache?.take(deployment)) ?? (await createWarmRun(server, { deployment, pin }))
  let canReuse = false
  try {
    const { failedDeliveries, isReusable } = await runDeliveries(server, warmRun, options)
    canReuse =
      isReusable && failedDeliveries.length === 0 && !warmRun.environment.commandRun.isAborted()
    return { failedDeliveries, foreignDeliveries: [] }
  } finally {
    try {
      if (canReuse && warmCache !== undefined) await warmCache.keep(warmRun)
      else await closeRunEnvironment(warmRun.environment)
    } finally {
      await warmRun.recorder.flush()
    }
  }
}

/** Creates the environment of a deployment's executor. Plugins start when they are needed. */
async function createWarmRun(
  server: DeliveryServer,
  { deployment, pin }: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<WarmRun> {
  const { platform, hosts, ports } = server
  const expiresAt = warmExpiryOf(platform.clock)
  const request = await server.reopen(deployment, pin)
  const recorder = createEventRecorder(platform, deployment, `executor-${platform.random.uuid()}`)
  // The generator emits the events of steps when it reads their ends. The executor records only
  // diagnostic messages.
  const sink: EventSink = {
    emit: event => {
      if ('diagnosticEvent' in event) recorder.emit(event)
    },
  }
  const baseInput = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const input = await withStackSettings(server, baseInput).catch(async (thrown: unknown) => {
    await emitBlockingError(server, deployment, thrown)
    throw thrown
  })
  const logIndex = createLogIndex(platform, deployment)
  return {
    deployment,
    input,
    environment: await createRunEnvironment(input),
    recorder,
    logIndex,
    expiresAt,
  }
}

/**
 * Runs the deliveries of one deployment. Returns those that failed, and whether the environment can
 * be reused.
 */
async function runDeliveries<D extends Delivery>(
  server: DeliveryServer,
  { input, environment, logIndex }: WarmRun,
  options: DeploymentDeliveries<D>,
): Promise<{ readonly failedDeliveries: readonly D[]; readonly isReusable: boolean }> {
  const { deployment, deploymentDeliveries } = options
  // The generator applies --parallel to the operations that it sends. These slots only keep one
  // call from running several full chains at once.
  const slots = createOperationSlots(limits.chainOperationsMax)
  const timeLimit = createFunctionTime(input.platform, options)
  const assignment = { deployment, logIndex, slots, timeLimit }
  const executor = await createDeploymentExecutor(input, environment, assignment)
  let isStopped = false
  const endWatching = watchStop(input, deployment, isForced => {
    isStopped = true
    if (!isForced) return void environment.plugins.cancelAll()
    executor.abandon()
    environment.plugins.abandon()
    void environment.processes.close()
  })
  try {
    const failedDeliveries: D[] = []
    await Promise.all(
      deploymentDeliveries.map(delivery =>
        executor.runDelivery(delivery).catch((thrown: unknown) => {
          logFailure(server, deployment, thrown)
          failedDeliveries.push(delivery)
        }),
      ),
    )
    return { failedDeliveries, isReusable: !isStopped && !executor.isShuttingDown() }
  } finally {
    endWatching()
    await executor.end()
  }
}

/**
 * Returns the time of a function call. With it, the executor decides whether an operation may still
 * begin. Without a limit, the time is infinite.
 */
function createFunctionTime({ clock }: Platform, { pool, limitMs }: DeliveryOptions) {
  // Executors that poll a queue stop polling in `leave`. This one has all its deliveries already.
  const leave = (): void => undefined
  if (limitMs === undefined)
    return { pool, remainingMs: () => Infinity, startRemainingMs: Infinity, leave }
  const startRemainingMs = limitMs - shutdownMarginMsOf(limitMs)
  const deadlineMs = clock.monotonicMs() + startRemainingMs
  return { pool, startRemainingMs, remainingMs: () => deadlineMs - clock.monotonicMs(), leave }
}
