import { pollDeliveries } from './poll-deliveries.ts'
import { deliveryLimitOf } from '../../shared/engine/deployment/dispatch/parallel-limit.ts'
import { limits } from '../../shared/config/limits.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import {
  createDeploymentExecutor,
  type ExecutorAssignment,
} from '../../shared/runtime/executor/deployment-executor.ts'
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
    // A failed delivery aborts the run if an error of the store caused the failure, such as a full
    // disk. During a shutdown, and at a message's last delivery, any failure aborts the run.
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
