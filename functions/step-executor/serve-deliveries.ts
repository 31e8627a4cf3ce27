import { createEventRecorder } from '../../shared/engine/events/recorder.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import { leaveMs } from '../../shared/engine/deployment/hand-over.ts'
import type { Pin } from '../../shared/engine/deployment/log-view.ts'
import { firstPinOf, requireRules } from '../../shared/engine/deployment/rules.ts'
import { createPlanIndex } from '../../shared/engine/executor/plan-index.ts'
import { createSlots } from '../../shared/engine/deployment/slots.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import { limits } from '../../shared/config/limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { inEnvironment, type LifeDeps } from '../step-generator/serve-life.ts'
import { tellHindrance } from '../step-generator/tell.ts'
import { watchStop } from '../step-generator/watch-stop.ts'
import { surround, tearDown } from '../surroundings/surround.ts'
import { createDeploymentExecutor } from './executor-loop.ts'
import { type Warm, type Warmth, warmUntil } from './warmth.ts'

/** What an executor that is handed deliveries asks of the outside. */
export interface DeliveryServer extends LifeDeps {
  /** What a deployment was asked with, found again by its pin. */
  readonly reopen: (deployment: DeploymentId, pin: Pin) => Promise<DeployRequest>
}

/** The time of one call of the function, and the pool that its queue belongs to. */
export interface DeliveryTime {
  readonly pool: Pool
  /** Until the function is ended, in ms; absent: it has no limit. */
  readonly limitMs?: number
}

/**
 * How deliveries are handled: within which time, and with what was kept of earlier calls in the
 * same environment; nothing is kept where there is no `warmth`.
 */
export interface Serving {
  readonly time: DeliveryTime
  readonly warmth?: Warmth
}

/** Deliveries that must come again, and those of stacks that this environment is not for. */
export interface Deliveries {
  readonly failed: readonly Delivery[]
  readonly elsewhere: readonly Delivery[]
}

/**
 * Handles deliveries of any deployments, those of one by one executor with a lease of its own; what
 * is left of its time is shared by all.
 */
export async function serveDeliveries(
  server: DeliveryServer,
  deliveries: readonly Delivery[],
  serving: Serving,
): Promise<Deliveries> {
  const groups = new Map<DeploymentId, Delivery[]>()
  for (const delivery of deliveries) {
    const { deployment } = delivery.message
    groups.set(deployment, [...(groups.get(deployment) ?? []), delivery])
  }
  const all = await Promise.all(
    [...groups].map(([deployment, own]) =>
      serveDeployment(server, { deployment, own, ...serving }).catch((thrown: unknown) => {
        tellFailure(server, deployment, thrown)
        return { failed: own, elsewhere: [] }
      }),
    ),
  )
  return {
    failed: all.flatMap(({ failed }) => failed),
    elsewhere: all.flatMap(({ elsewhere }) => elsewhere),
  }
}

/** What is to be done of one deployment. */
interface Work extends Serving {
  readonly deployment: DeploymentId
  readonly own: readonly Delivery[]
}

function tellFailure(
  { platform }: DeliveryServer,
  deployment: DeploymentId,
  thrown: unknown,
): void {
  platform.journal.write('error', 'delivery.failed', { deployment, message: messageOf(thrown) })
}

async function serveDeployment(server: DeliveryServer, work: Work): Promise<Deliveries> {
  const { platform } = server
  const { deployment, own, warmth } = work
  const control = await platform.control.read(deployment)
  const pin = await firstPinOf(platform, deployment)
  if (control === undefined || control.closed || pin === undefined) {
    // Nothing more of it begins: what the log does not hold, or holds no more, is dropped.
    for (const { receipt } of own) await platform.chains.remove(receipt)
    return { failed: [], elsewhere: [] }
  }
  requireRules(deployment, pin)
  const { stack } = deploymentPartsOf(deployment)
  if (server.mayServe?.(stack) === false) return { failed: [], elsewhere: own }
  const warm = (await warmth?.take(deployment)) ?? (await warmUp(server, { deployment, pin }))
  let isWhole = false
  try {
    const { failed, isLasting } = await handled(server, warm, work)
    isWhole = isLasting && failed.length === 0 && !warm.surroundings.life.isAborted()
    return { failed, elsewhere: [] }
  } finally {
    if (isWhole && warmth !== undefined) await warmth.keep(warm)
    else await tearDown(warm.surroundings)
    await warm.recorder.flush()
  }
}

/** Makes what an executor of a deployment works with; its plugins start when they are needed. */
async function warmUp(
  server: DeliveryServer,
  { deployment, pin }: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<Warm> {
  const { platform, hosts, ports } = server
  const until = warmUntil(platform.clock)
  const request = await server.reopen(deployment, pin)
  const recorder = createEventRecorder(platform, deployment, `executor-${platform.random.uuid()}`)
  // Steps are told by the generator, who learns of every end; from here come only messages.
  const sink: EventSink = {
    emit: event => {
      if ('diagnosticEvent' in event) recorder.emit(event)
    },
  }
  const given = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const asked = await inEnvironment(server, given).catch(async (thrown: unknown) => {
    await tellHindrance(server, deployment, thrown)
    throw thrown
  })
  const plan = createPlanIndex(platform, deployment)
  return { deployment, asked, surroundings: await surround(asked), recorder, plan, until }
}

/**
 * Runs the deliveries of one deployment; answers those that could not be handled, and whether what
 * ran may be used again.
 */
async function handled(
  server: DeliveryServer,
  { asked, surroundings, plan }: Warm,
  { deployment, own, time }: Work,
): Promise<{ readonly failed: readonly Delivery[]; readonly isLasting: boolean }> {
  const slots = createSlots(limits.chainOperationsMax)
  const limited = limitedTo(asked.platform, time)
  const post = { deployment, plan, slots, limited }
  const executor = await createDeploymentExecutor(asked, surroundings, post)
  let isStopped = false
  const endWatching = watchStop(asked, deployment, isForced => {
    isStopped = true
    if (!isForced) return void surroundings.plugins.cancelAll()
    executor.abandon()
    surroundings.plugins.abandon()
    void surroundings.processes.close()
  })
  try {
    const failed: Delivery[] = []
    await Promise.all(
      own.map(delivery =>
        executor.handle(delivery).catch((thrown: unknown) => {
          tellFailure(server, deployment, thrown)
          failed.push(delivery)
        }),
      ),
    )
    return { failed, isLasting: !isStopped && !executor.isParting() }
  } finally {
    endWatching()
    await executor.end()
  }
}

/** The time of a function, as admissions see it. */
function limitedTo({ clock }: Platform, { pool, limitMs }: DeliveryTime) {
  const leave = (): void => undefined
  if (limitMs === undefined) return { pool, leftMs: () => Infinity, wholeMs: Infinity, leave }
  const wholeMs = limitMs - leaveMs(limitMs)
  const untilMs = clock.monotonicMs() + wholeMs
  return { pool, wholeMs, leftMs: () => untilMs - clock.monotonicMs(), leave }
}
