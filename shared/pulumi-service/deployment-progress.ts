import { readHistoryRecord } from '../engine/deployment/retention/read-history-and-versions.ts'
import { isErrorCode } from '../errors/error.ts'
import { catalogue } from '../errors/catalogue.ts'
import { type DeploymentId, deploymentPartsOf, type EpochMs, previewIdOf } from '../records/ids.ts'
import type { RequestEnd } from '../records/stack-request.ts'
import { withdrawnCode } from '../api/request-deployment.ts'
import { engineDeploymentPrefix, enginePreviewPrefix, statusOf } from './deployment-updates.ts'
import type { PulumiDeployment } from './pulumi-deployment.ts'
import type { ServicePorts } from './service-route.ts'

/** The update of a deployment that has begun. */
export interface ProgressUpdate {
  readonly id: string
  /** The id under which the events of the update are stored. */
  readonly eventsId: DeploymentId
  readonly version: number
  readonly startedAt: EpochMs
  /** Absent while the update runs, and for a preview, whose end has no time. */
  readonly endedAt?: EpochMs
  readonly changes: Readonly<Record<string, number>>
}

/** The progress of a deployment of a client, derived from its request and the history. */
export interface DeploymentProgress {
  readonly status: 'accepted' | 'running' | 'failed' | 'succeeded' | 'skipped'
  /** Absent before the begin, for a request that never began, and without a history record. */
  readonly update?: ProgressUpdate
  /**
   * The lines that state why `update` is absent. Absent if there is an update, and while the
   * request waits.
   */
  readonly reason?: readonly string[]
}

/** The ports that progress is read from. */
export type ProgressPorts = Pick<ServicePorts, 'catalog' | 'events'>

/** Reads the progress of a deployment. */
export async function readDeploymentProgress(
  ports: ProgressPorts,
  deployment: PulumiDeployment,
): Promise<DeploymentProgress> {
  const { end, request } = deployment
  if (end?.kind === 'started') return readStartedProgress(ports, end.deployment)
  if (end !== undefined && end.kind !== 'previewed') return unstartedProgressOf(end)
  if (!request.dryRun) return { status: 'accepted' }
  const eventsId = previewIdOf(request.stack, request.key)
  const update: ProgressUpdate = {
    id: `${enginePreviewPrefix}${deployment.number}`,
    eventsId,
    version: 0,
    startedAt: request.at,
    changes: end?.changes ?? {},
  }
  if (end !== undefined)
    return { status: end.result === 'succeeded' ? 'succeeded' : 'failed', update }
  const { events } = await ports.events.read(eventsId, 0, 1)
  return events.length === 0 ? { status: 'accepted' } : { status: 'running', update }
}

async function readStartedProgress(
  { catalog }: Pick<ProgressPorts, 'catalog'>,
  deployment: DeploymentId,
): Promise<DeploymentProgress> {
  const record = await readHistoryRecord(catalog, deployment)
  if (record === undefined) {
    const reason = [`The history of the stack no longer contains the deployment ${deployment}.`]
    return { status: 'failed', reason }
  }
  const status = statusOf(record)
  const { startedAt, endedAt, version = 0, changes = {} } = record
  const update = {
    id: `${engineDeploymentPrefix}${deploymentPartsOf(deployment).number}`,
    eventsId: deployment,
    version,
    startedAt,
    changes,
    ...(endedAt === undefined ? {} : { endedAt }),
  }
  return { status: status === 'running' || status === 'succeeded' ? status : 'failed', update }
}

/** Returns the progress of a request that ended without a deployment or preview. */
function unstartedProgressOf(
  end: Exclude<RequestEnd, { readonly kind: 'started' | 'previewed' }>,
): DeploymentProgress {
  if (end.kind === 'superseded')
    return { status: 'skipped', reason: ['A later request of the stack covers this one.'] }
  if (end.kind === 'renamed')
    return { status: 'skipped', reason: [`The stack was renamed to ${end.to}.`] }
  const { code, message } = end
  const { hint = isErrorCode(code) ? catalogue[code].hint : '' } = end
  const reason = [`${code}: ${message}`, ...(hint === '' ? [] : [hint])]
  return { status: code === withdrawnCode ? 'skipped' : 'failed', reason }
}
