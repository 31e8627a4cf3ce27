import { pollDeliveries } from '../functions/step-executor/handle.ts'
import { type Base, baseOf } from '../shared/engine/deployment/base.ts'
import type { Pin } from '../shared/engine/deployment/log-view.ts'
import { readSnapshotBlob } from '../shared/engine/deployment/snapshot-blob.ts'
import { createSealing } from '../shared/engine/deployment/sealing.ts'
import { createExecutor } from '../shared/engine/executor/executor.ts'
import type { ExecutionContext } from '../shared/engine/executor/execution-context.ts'
import { createPlanIndex } from '../shared/engine/executor/plan-index.ts'
import { createSlots } from '../shared/engine/executor/slots.ts'
import { createStepSource } from '../shared/engine/executor/step-source.ts'
import { decodeSnapshot } from '../shared/state/deployment.ts'
import { keepLease } from '../shared/engine/executor/lease.ts'
import { limits } from '../shared/config/limits.ts'
import { error, hasCode } from '../shared/errors/error.ts'
import type { Delivery } from '../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId } from '../shared/records/ids.ts'
import type { Asked, Surroundings } from './surroundings.ts'

/** The executor of this process: polls the queue, keeps its lease, until it is ended. */
export async function startExecutor(
  asked: Asked,
  surroundings: Surroundings,
  started: { readonly deployment: DeploymentId },
): Promise<{ readonly end: () => Promise<void> }> {
  const { platform, ports, request } = asked
  const { deployment } = started
  const { baseNow } = surroundings
  const executor = platform.random.uuid() as ExecutorId
  const lease = await keepLease(
    {
      leases: platform.leases,
      clock: platform.clock,
      groups: () => surroundings.processes.groups(),
      lost: () => {
        const lost = 'the lease could not be renewed in time; what ran is abandoned'
        surroundings.life.abort(error('LEASE_LOST', lost))
        surroundings.plugins.abandon()
        void surroundings.processes.close()
      },
    },
    { deployment, executor, holder: ports.holder },
  )
  const plan = createPlanIndex(platform, deployment)
  const sealing = createSealing(request.secrets)
  const context: ExecutionContext = {
    deployment,
    plan,
    sealing,
    stepOf: createStepSource({
      deployment,
      plan,
      operations: platform.operations,
      sealing,
      baseOfPin: pin => baseOfPin(asked, baseNow, pin),
    }),
    emitter: surroundings.emitter,
    told: surroundings.told,
    performing: surroundings.performing,
    holdsLease: lease.holds,
    leftBegun: () => void lease.end(),
    slots: createSlots(Math.max(1, request.options.parallel)),
  }
  baseNow.settled = (urn, id) => {
    const state = plan.provider(urn, id)
    return state === undefined ? undefined : sealing.open(state)
  }
  const contextOf = async (asked_: DeploymentId): Promise<ExecutionContext | undefined> =>
    asked_ === deployment ? context : undefined
  const handler = createExecutor(platform, { executor, contextOf })
  const failed = (thrown: unknown, { deliveries }: Delivery): void => {
    // The store of this machine does not come back by itself: a full disk, say, is a person's
    // affair. Nor does work whose last delivery could not even be ended.
    const isLast = deliveries >= limits.deliveriesMax
    if (!isLast && !hasCode(thrown, 'STORE_UNAVAILABLE')) return
    surroundings.life.abort(thrown)
    // It may have left something begun: nobody waits for who has retired.
    void lease.end()
  }
  const polling = pollDeliveries(platform, handler, { deployment, failed })
  return {
    async end() {
      await polling.end()
      await lease.end()
    },
  }
}

/** The base of a pin, opened once. */
async function baseOfPin(
  { platform, request }: Asked,
  baseNow: Surroundings['baseNow'],
  pin: Pin,
): Promise<Base> {
  const known = baseNow.current
  if (known?.epoch === pin.epoch) return known
  const stored = await readSnapshotBlob(platform.blobs, pin.base)
  const base = baseOf(decodeSnapshot(stored, request.secrets), pin.epoch)
  baseNow.current = base
  return base
}
