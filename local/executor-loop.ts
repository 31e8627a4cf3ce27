import { pollDeliveries } from '../functions/step-executor/handle.ts'
import type { StartedDeployment } from '../functions/step-generator/start.ts'
import { stepOfOperation } from '../shared/engine/deployment/operations.ts'
import { madeBefore } from '../shared/engine/deployment/recorded-end.ts'
import { createSealing } from '../shared/engine/deployment/sealing.ts'
import { createExecutor } from '../shared/engine/executor/executor.ts'
import type { ExecutionContext } from '../shared/engine/executor/execution-context.ts'
import { createPlanIndex } from '../shared/engine/executor/plan-index.ts'
import { createSlots } from '../shared/engine/executor/slots.ts'
import { keepLease } from '../shared/engine/executor/lease.ts'
import { limits } from '../shared/config/limits.ts'
import { error, hasCode } from '../shared/errors/error.ts'
import type { Delivery } from '../shared/ports/queue.ts'
import type { ExecutorId } from '../shared/records/ids.ts'
import type { Asked, Surroundings } from './surroundings.ts'

/** The executor of this process: polls the queue, keeps its lease, until it is ended. */
export async function startExecutor(
  asked: Asked,
  surroundings: Surroundings,
  started: StartedDeployment,
): Promise<{ readonly end: () => Promise<void> }> {
  const { platform, ports, request } = asked
  const { deployment } = started
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
    stepOf: operation => {
      const base = surroundings.baseNow.current ?? started.base
      const { left } = started
      const made =
        left === undefined ? () => undefined : madeBefore(left.before, left.recorded, sealing)
      return Promise.resolve(stepOfOperation(operation, { base, sealing, made }))
    },
    emitter: surroundings.emitter,
    performing: surroundings.performing,
    holdsLease: lease.holds,
    slots: createSlots(Math.max(1, request.options.parallel)),
  }
  const handler = createExecutor(platform, {
    executor,
    contextOf: asked_ => Promise.resolve(asked_ === deployment ? context : undefined),
  })
  const failed = (thrown: unknown, { deliveries }: Delivery): void => {
    // The store of this machine does not come back by itself: a full disk, say, is a person's
    // affair. Nor does work whose last delivery could not even be ended.
    if (hasCode(thrown, 'STORE_UNAVAILABLE') || deliveries >= limits.deliveriesMax)
      surroundings.life.abort(thrown)
  }
  const polling = pollDeliveries(platform, handler, { deployment, failed })
  return {
    async end() {
      await polling.end()
      await lease.end()
    },
  }
}
