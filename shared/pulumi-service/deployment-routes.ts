import { createError } from '../errors/error.ts'
import type { StoredDocument } from '../ports/documents.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { requireRole } from '../api/authorization.ts'
import { stackOf } from '../api/define-route.ts'
import { withdrawWaitingRequest } from '../api/request-deployment.ts'
import { createDeployment } from './create-deployment.ts'
import { readDeploymentLog, readStepLog } from './deployment-log.ts'
import { readDeploymentProgress } from './deployment-progress.ts'
import { stopEngineDeployment } from './deployment-updates.ts'
import { createDeploymentView } from './deployment-view.ts'
import { deploymentsPath } from './deployments-path.ts'
import { parsePage } from './parse-page.ts'
import {
  findPulumiDeployment,
  parsePulumiDeploymentId,
  type PulumiDeployment,
  readPulumiDeployments,
  requirePulumiDeployment,
} from './pulumi-deployment.ts'
import type { ServiceCall, ServicePorts, ServiceRoute } from './service-route.ts'

const idPath = `${deploymentsPath}/{deployment}`

/** Routes for the deployments that clients request, list, follow and cancel. */
export const pulumiDeploymentRoutes: readonly ServiceRoute[] = [
  {
    method: 'POST',
    path: deploymentsPath,
    role: 'preview',
    run: (ports, call) => createDeployment(ports, call),
  },
  {
    method: 'GET',
    path: deploymentsPath,
    role: 'read',
    run: (ports, call) => listDeployments(ports, call),
  },
  {
    method: 'GET',
    path: `${deploymentsPath}/version/{version}`,
    role: 'read',
    run: async (ports, call) => {
      const number = parsePulumiDeploymentId(call.params['version'] ?? '')
      return viewOf(ports, await requireDeploymentOfStack(ports, call, number))
    },
  },
  {
    method: 'GET',
    path: idPath,
    role: 'read',
    run: async (ports, call) => viewOf(ports, await requireDeploymentOfPath(ports, call)),
  },
  {
    method: 'GET',
    path: `${idPath}/logs`,
    role: 'read',
    run: (ports, call) => readLogs(ports, call),
  },
  {
    method: 'GET',
    path: `${idPath}/updates`,
    role: 'read',
    run: async (ports, call) => {
      const { update } = await readDeploymentProgress(
        ports,
        await requireDeploymentOfPath(ports, call),
      )
      if (update === undefined) return []
      const { version: latestVersion } = await requireStack(ports, stackOf(call.params))
      return [{ updateID: update.id, version: update.version, latestVersion }]
    },
  },
  {
    method: 'POST',
    path: `${idPath}/cancel`,
    role: 'preview',
    run: (ports, call) => cancelDeployment(ports, call),
  },
]

async function requireDeploymentOfStack(
  ports: ServicePorts,
  { params }: ServiceCall,
  number: number | undefined,
): Promise<PulumiDeployment> {
  return requirePulumiDeployment(ports, await requireStack(ports, stackOf(params)), number)
}

function requireDeploymentOfPath(
  ports: ServicePorts,
  call: ServiceCall,
): Promise<PulumiDeployment> {
  return requireDeploymentOfStack(
    ports,
    call,
    parsePulumiDeploymentId(call.params['deployment'] ?? ''),
  )
}

async function viewOf(ports: ServicePorts, deployment: PulumiDeployment): Promise<unknown> {
  return createDeploymentView(deployment, await readDeploymentProgress(ports, deployment))
}

async function listDeployments(
  ports: ServicePorts,
  { params, query }: ServiceCall,
): Promise<unknown> {
  const stack = await requireStack(ports, stackOf(params))
  const { first, size } = parsePage(query)
  const newestFirst: StoredDocument[] = []
  for await (const stored of readPulumiDeployments(ports, stack)) newestFirst.push(stored)
  const orderedDocuments = query['asc'] === 'true' ? newestFirst.toReversed() : newestFirst
  const deployments = []
  for (const stored of orderedDocuments.slice(first, first + size)) {
    const deployment = await findPulumiDeployment(ports, stack, stored)
    if (deployment !== undefined) deployments.push(await viewOf(ports, deployment))
  }
  return { deployments, itemsPerPage: size, total: orderedDocuments.length }
}

async function readLogs(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const deployment = await requireDeploymentOfPath(ports, call)
  const progress = await readDeploymentProgress(ports, deployment)
  const { query } = call
  if (query['job'] !== undefined) return readStepLog(ports, deployment, { progress, query })
  const token = query['continuationToken'] ?? ''
  return readDeploymentLog(ports, deployment, { progress, token })
}

/**
 * Withdraws the request of a deployment if it waits, or else stops the deployment that it started.
 * Throws REQUEST_BEGUN for a deployment that is over. Also throws it for a running preview, which
 * changes nothing and ends by itself.
 */
async function cancelDeployment(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const deployment = await requireDeploymentOfPath(ports, call)
  const { stack, key, dryRun } = deployment.request
  if (!dryRun) requireRole(call.caller, 'deploy', 'cancelling a deployment')
  if (dryRun && (await readDeploymentProgress(ports, deployment)).status === 'running')
    throw createError('REQUEST_BEGUN', 'a running preview cannot be cancelled')
  if (deployment.end === undefined) await withdrawWaitingRequest(ports, stack, key)
  const latest = await requireDeploymentOfPath(ports, call)
  const { status } = await readDeploymentProgress(ports, latest)
  if (status === 'skipped') return {}
  if (latest.end?.kind !== 'started') throw createError('REQUEST_BEGUN', 'the deployment is over')
  await stopEngineDeployment(ports, stack, latest.end.deployment)
  return {}
}
