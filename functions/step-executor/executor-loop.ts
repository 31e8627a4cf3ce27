import { pollDeliveries } from './handle.ts'
import { chainsOf } from '../../shared/engine/deployment/chains-of.ts'
import { createSealing } from '../../shared/engine/deployment/sealing.ts'
import {
  admissionOf,
  type FunctionTime,
  type SlowOnes,
} from '../../shared/engine/executor/admission.ts'
import { baseOfPin } from './base-of-pin.ts'
import { createExecutor } from '../../shared/engine/executor/executor.ts'
import type { ExecutionContext } from '../../shared/engine/executor/execution-context.ts'
import { createPlanIndex, type PlanIndex } from '../../shared/engine/executor/plan-index.ts'
import type { Slots } from '../../shared/engine/deployment/slots.ts'
import { createStepSource } from '../../shared/engine/executor/step-source.ts'
import { keepLease, type LeaseKeeper } from '../../shared/engine/executor/lease.ts'
import { limits } from '../../shared/config/limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId } from '../../shared/records/ids.ts'
import { isUnsent } from '../../shared/records/operation.ts'
import { createParting } from './parting.ts'
import type { Asked, Surroundings } from '../surroundings/surround.ts'
import { producerOf } from '../../shared/providers/whose-error.ts'

/** An executor that polls the queue and keeps its lease. */
export interface RunningExecutor {
  /** Takes nothing more; resolves when all that it began has ended, and its lease with it. */
  readonly end: () => Promise<void>
  /** What could not be recorded so far is given up. */
  readonly abandon: () => void
}

/** What an executor is started for. */
interface Post {
  readonly deployment: DeploymentId
  /** What was read of its log before; nothing, where it is absent. */
  readonly plan?: PlanIndex
  /** What bounds the operations of a deployment in this process. */
  readonly slots: Slots
  /** Its time, when that is limited; `leave` is called when it has too little of it left. */
  readonly limited?: FunctionTime & { readonly leave: () => void }
}

/** An executor of one deployment, with its lease, that is given deliveries. */
export interface DeploymentExecutor {
  readonly executor: ExecutorId
  /** Handles a delivery to its end. */
  readonly handle: (delivery: Delivery) => Promise<void>
  /** Whether it begins nothing more, because it could not settle something that it began. */
  readonly isParting: () => boolean
  /** Retires the identity, under which nothing may run any more. */
  readonly end: () => Promise<void>
  /** What could not be recorded so far is given up. */
  readonly abandon: () => void
}

/** Makes the executor of a deployment, and takes its lease. */
export async function createDeploymentExecutor(
  asked: Asked,
  surroundings: Surroundings,
  { deployment, slots, limited, plan = createPlanIndex(asked.platform, deployment) }: Post,
): Promise<DeploymentExecutor> {
  const { platform, request } = asked
  const { baseNow } = surroundings
  const executor = platform.random.uuid() as ExecutorId
  const lease = await leaseOf(asked, surroundings, { deployment, executor })
  const parting = createParting(lease)
  const sealing = createSealing(request.secrets)
  const stepOf = createStepSource({
    deployment,
    plan,
    operations: platform.operations,
    sealing,
    baseOfPin: pin => baseOfPin(asked, baseNow, pin),
  })
  const slow = new Map(limited === undefined ? [] : await platform.catalog.slow(request.stack))
  const context: ExecutionContext = {
    deployment,
    plan,
    sealing,
    stepOf,
    emitter: surroundings.emitter,
    told: surroundings.told,
    performing: { ...surroundings.performing, provider: namedFirst(surroundings, lease) },
    holdsLease: () => !parting.isParting() && lease.holds(),
    isAbandoned: parting.isAbandoned,
    leftBegun: parting.part,
    slots,
    slow,
    admit: admitterOf(stepOf, slow, limited),
  }
  baseNow.settled = (urn, id) => {
    const state = plan.provider(urn, id)
    return state === undefined ? undefined : sealing.open(state)
  }
  baseNow.extension = ref => plan.extension(ref)
  const contextOf = async (asked_: DeploymentId): Promise<ExecutionContext | undefined> =>
    asked_ === deployment ? context : undefined
  const chains = chainsOf(request.options, platform.chains)
  const { handle } = createExecutor({ ...platform, chains }, { executor, contextOf })
  return {
    executor,
    handle: delivery => parting.during(handle(delivery)),
    isParting: parting.isParting,
    end: () => lease.end(),
    abandon: parting.abandon,
  }
}

/** Starts an executor in this process that polls the queue. */
export async function startExecutor(
  asked: Asked,
  surroundings: Surroundings,
  post: Post,
): Promise<RunningExecutor> {
  const { platform, request } = asked
  const { deployment, limited } = post
  const handler = await createDeploymentExecutor(asked, surroundings, post)
  const { executor, isParting, abandon } = handler
  const failed = (thrown: unknown, { deliveries }: Delivery): void => {
    // The store of this machine does not come back by itself: a full disk, say, is a person's
    // affair. Nor does work whose last delivery could not even be ended.
    const isLast = deliveries >= limits.deliveriesMax
    if (!isLast && !isParting() && producerOf(thrown) !== 'store') return
    surroundings.life.abort(thrown)
  }
  const { execute, parallel } = request.options
  const which = {
    ...(limited === undefined ? {} : { pool: limited.pool }),
    ...(execute === 'elsewhere'
      ? { share: { executor, operationsMax: Math.max(1, parallel) } }
      : {}),
  }
  const polling = pollDeliveries(platform, handler, { deployment, failed, ...which })
  return {
    async end() {
      await polling.end()
      await handler.end()
    },
    abandon,
  }
}

/** The lease of an identity: who loses it abandons what runs, for others may act. */
function leaseOf(
  { platform, ports }: Asked,
  surroundings: Surroundings,
  about: { readonly deployment: DeploymentId; readonly executor: ExecutorId },
): Promise<LeaseKeeper> {
  const deps = {
    leases: platform.leases,
    clock: platform.clock,
    groups: () => surroundings.processes.groups(),
    lost: () => {
      const lost = 'the lease could not be renewed in time; what ran is abandoned'
      surroundings.life.abort(error('LEASE_LOST', lost))
      surroundings.plugins.abandon()
      void surroundings.processes.close()
    },
  }
  return keepLease(deps, { ...about, holder: ports.holder })
}

/** The plugin of a call is named by the lease before it is asked for anything. */
function namedFirst(
  { performing }: Surroundings,
  lease: LeaseKeeper,
): ExecutionContext['performing']['provider'] {
  return async (reference, extension) => {
    const provider = await performing.provider(reference, extension)
    await lease.nameGroups()
    return provider
  }
}

/** Asks before each begin whether there is time for it. */
function admitterOf(
  stepOf: ExecutionContext['stepOf'],
  slow: SlowOnes,
  limited: Post['limited'],
): ExecutionContext['admit'] {
  if (limited === undefined) return async () => 'now'
  return async operation => {
    if (isUnsent(operation)) return 'now'
    // What cannot be opened fails when it is performed, with its reason.
    const step = await stepOf(operation).catch(() => undefined)
    const admission = step === undefined ? 'now' : admissionOf(step, slow, limited)
    // It would only be given to this executor again.
    if (admission === 'later') limited.leave()
    return admission
  }
}
