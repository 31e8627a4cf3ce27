import { readHistoryRecord } from '../engine/deployment/retention/read-history-and-versions.ts'
import { createError } from '../errors/error.ts'
import type { HistoryRecord } from '../ports/catalog.ts'
import { isOpenDeployment } from '../ports/open-deployments.ts'
import { type DeploymentId, deploymentIdOf, type StackId } from '../records/ids.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import type { ServicePorts } from './service-route.ts'

/** The beginning of the update id of a deployment that this engine runs. */
export const engineDeploymentPrefix = 'deployment-'

/** Returns the deployment with an update id of this engine. Undefined for other ids. */
export function parseEngineDeployment(stack: StackId, id: string): DeploymentId | undefined {
  const [, number] = /^deployment-([1-9]\d{0,8})$/.exec(id) ?? []
  return number === undefined ? undefined : deploymentIdOf(stack, Number(number))
}

/** The beginning of the update id of a preview that this engine runs. */
export const enginePreviewPrefix = 'preview-'

/** Returns the number in the update id of a preview of this engine. Undefined for other ids. */
export function parseEnginePreview(id: string): number | undefined {
  const [, number] = /^preview-([1-9]\d{0,8})$/.exec(id) ?? []
  return number === undefined ? undefined : Number(number)
}

/** The status of an update, as clients see it. */
export type UpdateStatus = 'not started' | 'running' | 'succeeded' | 'failed' | 'cancelled'

/** Returns the status of a deployment. One that is no longer in the history counts as failed. */
export async function readDeploymentUpdateStatus(
  ports: ServicePorts,
  deployment: DeploymentId,
): Promise<UpdateStatus> {
  const record = await readHistoryRecord(ports.catalog, deployment)
  return record === undefined ? 'failed' : statusOf(record)
}

/** Returns the status of a history entry. */
export function statusOf({ result }: Pick<HistoryRecord, 'result'>): UpdateStatus {
  if (result === undefined) return 'running'
  return result === 'interrupted' ? 'failed' : result
}

/**
 * Requests the stop of a deployment that this engine runs. Throws REQUEST_BEGUN for one that is
 * over.
 */
export async function stopEngineDeployment(
  ports: ServicePorts,
  stack: StackId,
  deployment: DeploymentId,
): Promise<void> {
  if (!isOpenDeployment(await requireStack(ports, stack), deployment))
    throw createError('REQUEST_BEGUN', 'the update is already over')
  await ports.control.stop(deployment, 'graceful')
  // If no living process holds the deployment, the receiver of the nudge closes it.
  await ports.nudges.nudge(stack, 0)
}
