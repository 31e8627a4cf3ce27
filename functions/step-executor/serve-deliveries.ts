import { createEventRecorder } from '../../shared/engine/events/recorder.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import { leaveMarginMsOf } from '../../shared/engine/deployment/ownership/hand-over.ts'
import type { Pin } from '../../shared/engine/deployment/log/log-view.ts'
import {
  readFirstPin,
  requireKnownRules,
} from '../../shared/engine/deployment/log/decision-rules.ts'
import { createPlanIndex } from '../../shared/engine/executor/plan-index.ts'
import { createSlots } from '../../shared/engine/deployment/dispatch/slots.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import { limits } from '../../shared/config/limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import {
  withStackVariables,
  type StackRunDeps,
} from '../../shared/runtime/environment/stack-run-deps.ts'
import { emitHindrance } from '../../shared/runtime/deployment/emit-hindrance.ts'
import { watchStop } from '../../shared/runtime/deployment/watch-stop.ts'
import {
  createRunEnvironment,
  closeRunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import { createDeploymentExecutor } from './deployment-executor.ts'
import { type WarmRun, type WarmCache, warmExpiryOf } from './warm-cache.ts'

/** The dependencies of an executor for given deliveries. */
export interface DeliveryServer extends StackRunDeps {
  /** Returns the request of a deployment from its pin. */
  readonly reopen: (deployment: DeploymentId, pin: Pin) => Promise<DeployRequest>
}

/** The time of one function call, and the pool of its queue. */
export interface DeliveryTime {
  readonly pool: Pool
  /** Time until the function is stopped, in ms. Absent: no limit. */
  readonly limitMs?: number
}

/**
 * The time limit of handling deliveries, and the cache of earlier calls in the same environment.
 * Absent `warmCache`: nothing is kept.
 */
export interface DeliveryOptions {
  readonly time: DeliveryTime
  readonly warmCache?: WarmCache
}

/** Deliveries to redeliver, and those of stacks that this environment does not serve. */
export interface ChainDeliveryResult {
  readonly failed: readonly Delivery[]
  readonly elsewhere: readonly Delivery[]
}

/**
 * Handles deliveries of any deployments. One executor with a lease of its own handles those of each
 * deployment. All share the remaining time.
 */
export async function serveDeliveries(
  server: DeliveryServer,
  deliveries: readonly Delivery[],
  serving: DeliveryOptions,
): Promise<ChainDeliveryResult> {
  const groups = new Map<DeploymentId, Delivery[]>()
  for (const delivery of deliveries) {
    const { deployment } = delivery.message
    groups.set(deployment, [...(groups.get(deployment) ?? []), delivery])
  }
  const all = await Promise.all(
    [...groups].map(([deployment, own]) =>
      serveDeployment(server, { deployment, own, ...serving }).catch((thrown: unknown) => {
        logFailure(server, deployment, thrown)
        return { failed: own, elsewhere: [] }
      }),
    ),
  )
  return {
    failed: all.flatMap(({ failed }) => failed),
    elsewhere: all.flatMap(({ elsewhere }) => elsewhere),
  }
}

/** The deliveries of one deployment. */
interface DeploymentDeliveries extends DeliveryOptions {
  readonly deployment: DeploymentId
  readonly own: readonly Delivery[]
}

function logFailure({ platform }: DeliveryServer, deployment: DeploymentId, thrown: unknown): void {
  platform.logger.write('error', 'delivery.failed', { deployment, message: messageOf(thrown) })
}

async function serveDeployment(
  server: DeliveryServer,
  work: DeploymentDeliveries,
): Promise<ChainDeliveryResult> {
  const { platform } = server
  const { deployment, own, warmCache } = work
  const control = await platform.control.read(deployment)
  const pin = await readFirstPin(platform, deployment)
  if (control === undefined || control.closed || pin === undefined) {
    // No further operation begins. Operations that the log does not contain, or no longer contains,
    // are dropped.
    for (const { receipt } of own) await platform.chains.remove(receipt)
    return { failed: [], elsewhere: [] }
  }
  requireKnownRules(deployment, pin)
  const { stack } = deploymentPartsOf(deployment)
  if (server.mayServe?.(stack) === false) return { failed: [], elsewhere: own }
  const warm = (await warmCache?.take(deployment)) ?? (await warmUp(server, { deployment, pin }))
  let isWhole = false
  try {
    const { failed, isLasting } = await handleDeliveries(server, warm, work)
    isWhole = isLasting && failed.length === 0 && !warm.environment.run.isAborted()
    return { failed, elsewhere: [] }
  } finally {
    if (isWhole && warmCache !== undefined) await warmCache.keep(warm)
    else await closeRunEnvironment(warm.environment)
    await warm.recorder.flush()
  }
}

/** Creates the environment of a deployment's executor. Its plugins start when they are needed. */
async function warmUp(
  server: DeliveryServer,
  { deployment, pin }: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<WarmRun> {
  const { platform, hosts, ports } = server
  const until = warmExpiryOf(platform.clock)
  const request = await server.reopen(deployment, pin)
  const recorder = createEventRecorder(platform, deployment, `executor-${platform.random.uuid()}`)
  // The generator learns of every end and reports the steps. Only messages come from here.
  const sink: EventSink = {
    emit: event => {
      if ('diagnosticEvent' in event) recorder.emit(event)
    },
  }
  const baseInput = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const input = await withStackVariables(server, baseInput).catch(async (thrown: unknown) => {
    await emitHindrance(server, deployment, thrown)
    throw thrown
  })
  const plan = createPlanIndex(platform, deployment)
  return {
    deployment,
    input,
    environment: await createRunEnvironment(input),
    recorder,
    plan,
    until,
  }
}

/**
 * Runs the deliveries of one deployment. Returns those that failed, and whether the environment can
 * be reused.
 */
async function handleDeliveries(
  server: DeliveryServer,
  { input, environment, plan }: WarmRun,
  { deployment, own, time }: DeploymentDeliveries,
): Promise<{ readonly failed: readonly Delivery[]; readonly isLasting: boolean }> {
  const slots = createSlots(limits.chainOperationsMax)
  const limited = createFunctionTime(input.platform, time)
  const post = { deployment, plan, slots, limited }
  const executor = await createDeploymentExecutor(input, environment, post)
  let isStopped = false
  const endWatching = watchStop(input, deployment, isForced => {
    isStopped = true
    if (!isForced) return void environment.plugins.cancelAll()
    executor.abandon()
    environment.plugins.abandon()
    void environment.processes.close()
  })
  try {
    const failed: Delivery[] = []
    await Promise.all(
      own.map(delivery =>
        executor.runDelivery(delivery).catch((thrown: unknown) => {
          logFailure(server, deployment, thrown)
          failed.push(delivery)
        }),
      ),
    )
    return { failed, isLasting: !isStopped && !executor.isShuttingDown() }
  } finally {
    endWatching()
    await executor.end()
  }
}

/** Returns the time of a function for admissions. */
function createFunctionTime({ clock }: Platform, { pool, limitMs }: DeliveryTime) {
  const leave = (): void => undefined
  if (limitMs === undefined) return { pool, remainingMs: () => Infinity, wholeMs: Infinity, leave }
  const wholeMs = limitMs - leaveMarginMsOf(limitMs)
  const untilMs = clock.monotonicMs() + wholeMs
  return { pool, wholeMs, remainingMs: () => untilMs - clock.monotonicMs(), leave }
}
