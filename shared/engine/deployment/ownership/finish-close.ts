import { createError } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { NudgesPort } from '../../../ports/queue.ts'
import type {
  BlobsPort,
  ControlPort,
  DecisionLogPort,
  OperationsPort,
} from '../../../ports/records.ts'
import { deploymentPartsOf, type DeploymentId, type OperationId } from '../../../records/ids.ts'
import type { DeploymentResult } from '../../../records/log.ts'
import type { TelemetryPort } from '../../../ports/telemetry.ts'
import { reportDeployment } from '../../telemetry/report-deployment.ts'
import type { Pin } from '../log/log-view.ts'
import type { Liveness, LivenessDeps } from './liveness.ts'
import { listExecutedOperations, readLogView } from '../log/log-view.ts'
import { readFirstPin } from '../log/supported-rules.ts'
import { awaitRunningOperations } from '../ends/await-running.ts'
import { readHistoryRecord } from '../retention/read-history-and-versions.ts'
import { endAbandonedOperations } from '../recovery/end-abandoned-operations.ts'

/**
 * The dependencies of a close. `compact` folds the records of a deployment and publishes the
 * snapshot.
 */
export interface CloseDeps extends LivenessDeps {
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly catalog: CatalogPort
  readonly nudges: NudgesPort
  readonly telemetry: TelemetryPort
  readonly compact: (deployment: DeploymentId) => Promise<{ readonly version: number }>
}

/**
 * Performs the close of a deployment whose log has its `closing` record, or repeats it after an
 * interruption. Raises the stop flag, ends the remaining operations, publishes the fold, closes and
 * releases the deployment, and nudges the stack for its next deployment. The order is that of
 * docs/architecture.md#close, and each write can be repeated. The close waits for living owners,
 * and ends the operations of executors that are gone. `changes`: the number of steps by kind, for
 * the history.
 */
export async function finishClose(
  deps: CloseDeps,
  deployment: DeploymentId,
  options: { readonly liveness: Liveness; readonly changes: Readonly<Record<string, number>> },
): Promise<DeploymentResult> {
  const { result, firstPin, operationIds } = await readClosing(deps, deployment)
  const { stack } = deploymentPartsOf(deployment)
  await deps.control.stop(deployment, 'graceful')
  const goneExecutors = await awaitRunningOperations(
    { ...deps, deployment, liveness: options.liveness },
    operationIds,
  )
  await endAbandonedOperations({ ...deps, goneExecutors }, deployment, operationIds)
  // A state edit has no pin, so nothing is folded. Its process may have published a version before
  // it died.
  const { version = 0 } =
    firstPin !== undefined
      ? await deps.compact(deployment)
      : ((await deps.catalog.getStack(stack)) ?? {})
  await deps.control.close(deployment)
  await deps.catalog.release(deployment, {
    at: deps.clock.now(),
    result,
    changes: options.changes,
    version,
    ...(firstPin === undefined ? { isUnpinned: true } : {}),
  })
  const readEntry = () => readHistoryRecord(deps.catalog, deployment)
  await reportDeployment({ telemetry: deps.telemetry, readEntry }, deployment, firstPin)
  await deps.nudges.nudge(stack, 0)
  return result
}

/**
 * The facts of a log that a close needs. The log itself is not kept, because it may need much
 * memory.
 */
interface ClosingFacts {
  readonly result: DeploymentResult
  readonly firstPin: Pin | undefined
  readonly operationIds: readonly OperationId[]
}

async function readClosing(deps: CloseDeps, deployment: DeploymentId): Promise<ClosingFacts> {
  const view = await readLogView(deps, deployment)
  if (view.closing === undefined)
    throw createError(
      'INTERNAL_ASSERTION',
      'the log has no closing record, which finishClose requires',
    )
  return {
    result: view.closing.result,
    firstPin: view.pin === undefined ? undefined : await readFirstPin(deps, deployment),
    operationIds: listExecutedOperations(view).map(({ id }) => id),
  }
}
