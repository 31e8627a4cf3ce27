import { error } from '../../../shared/errors/error.ts'
import type { StoredDocument } from '../../../shared/ports/documents.ts'
import type { StackId } from '../../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../../shared/records/stack-request.ts'
import { putFirstServiceManager } from '../../../shared/runtime/credentials/stack-service-keys.ts'
import { noProgramError } from '../../../shared/runtime/programs/open-archived-program.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { includesRole, requireRole } from '../authorization.ts'
import { stackOf } from '../define-route.ts'
import { readStackDocuments } from '../document-store.ts'
import {
  requestDeployment,
  requestParallelDefault,
  withdrawWaitingRequest,
} from '../request-deployment.ts'
import { createDeploymentForm, refuseUnsupported, withoutEmptyMembers } from './deployment-form.ts'
import { readDeploymentLog } from './deployment-log.ts'
import { readDeploymentProgress } from './deployment-progress.ts'
import { deploymentViewFor } from './deployment-view.ts'
import { stopOwnDeployment } from './deployment-updates.ts'
import { parsePage } from './page-of-query.ts'
import {
  addPulumiDeployment,
  findPulumiDeployment,
  parsePulumiDeploymentId,
  type PulumiDeployment,
  pulumiDeploymentIdOf,
  removePulumiDeployment,
  requirePulumiDeployment,
} from './pulumi-deployment.ts'
import { operationRequests, type PulumiOperation } from './pulumi-operations.ts'
import {
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
} from './service-route.ts'

/** The path of the deployments of a stack. */
export const deploymentsPath = `${stackPath}/deployments`

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
      const number = parsePulumiDeploymentId(`dep-${call.params['version'] ?? ''}`)
      return viewOf(ports, await requireOfStack(ports, call, number))
    },
  },
  {
    method: 'GET',
    path: idPath,
    role: 'read',
    run: async (ports, call) => viewOf(ports, await requireOfPath(ports, call)),
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
      const { update } = await readDeploymentProgress(ports, await requireOfPath(ports, call))
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

async function requireOfStack(
  ports: ServicePorts,
  { params }: ServiceCall,
  number: number | undefined,
): Promise<PulumiDeployment> {
  const { id } = await requireStack(ports, stackOf(params))
  return requirePulumiDeployment(ports, id, number)
}

function requireOfPath(ports: ServicePorts, call: ServiceCall): Promise<PulumiDeployment> {
  return requireOfStack(ports, call, parsePulumiDeploymentId(call.params['deployment'] ?? ''))
}

async function viewOf(ports: ServicePorts, deployment: PulumiDeployment): Promise<unknown> {
  return deploymentViewFor(deployment, await readDeploymentProgress(ports, deployment))
}

/** Requests a deployment of the last uploaded program. */
async function createDeployment(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const body = parseBody(createDeploymentForm, call)
  const { operation, inheritSettings = false, ...settings } = body
  const { dryRun } = operationRequests[operation]
  if (!dryRun) requireRole(call.caller, 'deploy', `the operation ${operation}`)
  const { id: stack, snapshot } = await requireStack(ports, stackOf(call.params))
  refuseUnsupported(withoutEmptyMembers(settings), [])
  if ((await ports.requests.getProgram(stack)) === undefined) throw noProgramError(stack)
  if (snapshot === '' && includesRole(call.caller.role, 'deploy'))
    await putFirstServiceManager(ports, stack, call.origin)
  const request = deploymentRequestOf(ports, call, { stack, operation })
  const fields = { operation, inheritSettings: inheritSettings ?? false }
  const added = await addPulumiDeployment(ports, request, fields)
  try {
    await requestDeployment(ports, request, async () => undefined)
  } catch (thrown) {
    // No request was put, or its sender learns of an error: the deployment must not be listed.
    await removePulumiDeployment(ports, stack, added)
    throw thrown
  }
  return { id: pulumiDeploymentIdOf(added), consoleUrl: '' }
}

function deploymentRequestOf(
  ports: ServicePorts,
  { caller }: ServiceCall,
  { stack, operation }: { readonly stack: StackId; readonly operation: PulumiOperation },
): DeploymentRequest {
  const { command, refresh, dryRun } = operationRequests[operation]
  return {
    ...{ stack, key: ports.random.uuid(), at: ports.clock.now() },
    ...{ by: `${caller.name} (pulumi)`, dryRun, program: { kind: 'last' } },
    options: {
      ...{ command, refresh, message: `pulumi deployment run ${operation}` },
      ...{ parallel: requestParallelDefault, continueOnError: false, execute: ports.execute },
    },
  }
}

async function listDeployments(
  ports: ServicePorts,
  { params, query }: ServiceCall,
): Promise<unknown> {
  const { id: stack } = await requireStack(ports, stackOf(params))
  const { first, size } = parsePage(query)
  const newestFirst: StoredDocument[] = []
  for await (const stored of readStackDocuments(ports.documents, 'client-update', stack))
    newestFirst.push(stored)
  const sorted = query['asc'] === 'true' ? newestFirst.toReversed() : newestFirst
  const deployments = []
  for (const stored of sorted.slice(first, first + size)) {
    const deployment = await findPulumiDeployment(ports, stack, stored)
    if (deployment !== undefined) deployments.push(await viewOf(ports, deployment))
  }
  return { deployments, itemsPerPage: size, total: sorted.length }
}

async function readLogs(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const deployment = await requireOfPath(ports, call)
  const progress = await readDeploymentProgress(ports, deployment)
  const token = call.query['continuationToken'] ?? ''
  return readDeploymentLog(ports, deployment, { progress, token })
}

/** Withdraws a waiting request, or stops the deployment that it started. */
async function cancelDeployment(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { request, end } = await requireOfPath(ports, call)
  const { stack, key, dryRun } = request
  if (!dryRun) requireRole(call.caller, 'deploy', 'the end of a deployment')
  if (end === undefined) await withdrawWaitingRequest(ports, stack, key)
  const latest = await requireOfPath(ports, call)
  const { status } = await readDeploymentProgress(ports, latest)
  if (status === 'skipped') return {}
  if (latest.end?.kind !== 'started') throw error('REQUEST_BEGUN', 'the deployment is over')
  await stopOwnDeployment(ports, stack, latest.end.deployment)
  return {}
}
