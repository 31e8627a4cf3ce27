import * as z from 'zod'
import { closeDeadDeployments } from './client-deployment.ts'
import { findUpdateId } from './client-update.ts'
import { requireEmptyStack } from '../runtime/state/require-empty-stack.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { readHistoryRecord } from '../engine/deployment/retention/read-history-and-versions.ts'
import { createError } from '../errors/error.ts'
import type { StackRecord } from '../ports/catalog.ts'
import { listOpenDeployments } from '../ports/open-deployments.ts'
import { deploymentIdOf, deploymentPartsOf, stackIdOf, stackPartsOf } from '../records/ids.ts'
import { readEnvelope } from '../state/envelope.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import { listAllStacks, portsOfStack } from '../runtime/groups/port-groups.ts'
import { coversStack, requirePermission } from '../api/authorization.ts'
import { requireTagPermission } from '../api/require-policy-permission.ts'
import { removeIdleStack } from '../runtime/state/remove-idle-stack.ts'
import { engineDeploymentPrefix } from './deployment-updates.ts'
import { createExportResponse } from './export-response.ts'
import { stackOf } from '../api/define-route.ts'
import { parseCursor } from '../api/pages.ts'
import {
  organization,
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
} from './service-route.ts'
import { putTags, readTags, tagsForm } from '../triggers/stack-tags.ts'

const stackNameForm = z
  .string()
  .regex(/^(?!\.{1,2}$)[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, _, . and -')

const createForm = z.looseObject({
  stackName: stackNameForm,
  tags: tagsForm.nullish(),
  state: z.looseObject({}).nullish(),
})

/** Routes for creating, listing, exporting and removing stacks. */
export const serviceStackRoutes: readonly ServiceRoute[] = [
  {
    method: 'GET',
    path: '/api/user/stacks',
    role: 'read',
    run: (ports, call) => listStacks(ports, call),
  },
  {
    // Clients call this route with HEAD, which the router answers like GET. They find out in this
    // way whether a project exists.
    method: 'GET',
    path: '/api/stacks/{org}/{project}',
    role: 'read',
    run: async ({ catalog }, { caller, params: { project = '' } }) => {
      const { stacks } = await catalog.listStacks(project)
      if (stacks.some(({ id }) => coversStack(caller.stacks, id))) return {}
      throw createError('STACK_NOT_FOUND', `there is no project '${project}'`)
    },
  },
  {
    method: 'POST',
    path: '/api/stacks/{org}/{project}',
    role: 'deploy',
    bodyBytesMax: 1024 * 1024,
    run: (ports, call) => createStack(ports, call),
  },
  {
    method: 'GET',
    path: stackPath,
    role: 'read',
    run: async (ports, call) => stackViewOf(ports, await requireStack(ports, stackOf(call.params))),
  },
  {
    method: 'DELETE',
    path: stackPath,
    role: 'admin',
    run: async (ports, call) => {
      const id = stackOf(call.params)
      await closeDeadDeployments(ports, id)
      if (call.query['force'] !== 'true') await requireEmptyStack(ports, id)
      await removeIdleStack(ports, id)
      return {}
    },
  },
  {
    method: 'PATCH',
    path: `${stackPath}/tags`,
    role: 'deploy',
    run: async (ports, call) => {
      const { id } = await requireStack(ports, stackOf(call.params))
      const tags = parseBody(tagsForm, call)
      await requireTagPermission(ports, { caller: call.caller, stack: id, tags })
      await putTags(ports, id, tags)
      return {}
    },
  },
  {
    method: 'GET',
    path: `${stackPath}/export`,
    role: 'read',
    run: (ports, call) => createExportResponse(ports, stackOf(call.params)),
  },
  {
    method: 'GET',
    path: `${stackPath}/export/{version}`,
    role: 'read',
    run: (ports, call) =>
      createExportResponse(ports, stackOf(call.params), Number(call.params['version'])),
  },
]

async function createStack(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { stackName, tags, state } = parseBody(createForm, call)
  const id = stackIdOf(call.params['project'] ?? '', stackName)
  requirePermission(call.caller, 'deploy', id)
  const envelope = state == null ? undefined : readEnvelope(state)
  if (!(await ports.catalog.createStack(id, ports.clock.now())))
    throw createError('STACK_EXISTS', `the stack '${stackName}' already exists`)
  // Clients send a state without resources, which names the secrets manager of the stack.
  if (envelope?.deployment != null) {
    const snapshot = await ports.closing.blobs.put(await printStateBlob(envelope))
    await ports.catalog.publish(id, 0, snapshot)
  }
  if (tags != null) await putTags(ports, id, tags)
  return {}
}

/** Returns a stack as clients see it. */
async function stackViewOf(ports: ServicePorts, record: StackRecord): Promise<unknown> {
  const { id, version, current } = record
  const { project, stack } = stackPartsOf(id)
  const operation = current === '' ? undefined : await readHistoryRecord(ports.catalog, current)
  const control = current === '' ? undefined : await ports.control.read(current)
  return {
    id,
    orgName: organization,
    projectName: project,
    stackName: stack,
    version,
    ...(operation === undefined
      ? {}
      : {
          currentOperation: {
            kind: operation.command === 'up' ? 'update' : operation.command,
            author: control?.holder.who ?? '',
            started: Math.floor(operation.startedAt / 1_000),
          },
        }),
    activeUpdate: await findLastUpdateId(ports, record),
    tags: await readTags(ports, id),
  }
}

/**
 * Returns the update id of the newest open deployment of a stack. Clients cancel this deployment.
 * If none is open, returns the update id of the last deployment, and '' before the first one.
 */
async function findLastUpdateId(ports: ServicePorts, record: StackRecord): Promise<string> {
  if (record.deployments === 0) return ''
  const lastDeployment =
    listOpenDeployments(record).at(-1) ?? deploymentIdOf(record.id, record.deployments)
  const updateId = await findUpdateId(ports, lastDeployment)
  return updateId ?? `${engineDeploymentPrefix}${deploymentPartsOf(lastDeployment).number}`
}

/** Maximum number of stacks of one page of a list. */
const stacksPerPage = 500

async function listStacks(ports: ServicePorts, { caller, query }: ServiceCall): Promise<unknown> {
  const { project, tagName, tagValue, continuationToken = '' } = query
  const isOtherOrganization =
    query['organization'] !== undefined && query['organization'] !== organization
  if (isOtherOrganization) return { stacks: [], continuationToken: null }
  const offset = parseCursor(continuationToken)
  const { stacks } = await listAllStacks(ports, project)
  const coveredStacks = stacks.filter(({ id }) => coversStack(caller.stacks, id))
  const page = coveredStacks.slice(offset, offset + stacksPerPage)
  const views = []
  for (const record of page) {
    const groupPorts = portsOfStack(ports, record.id)
    if (tagName !== undefined) {
      const tags = await readTags(groupPorts, record.id)
      const value = Object.hasOwn(tags, tagName) ? tags[tagName] : undefined
      if (value === undefined || (tagValue !== undefined && value !== tagValue)) continue
    }
    views.push(await stackSummaryOf(groupPorts, record))
  }
  const next = offset + stacksPerPage < coveredStacks.length ? String(offset + stacksPerPage) : null
  return { stacks: views, continuationToken: next }
}

async function stackSummaryOf(
  { catalog }: ServicePorts,
  { id, deployments }: StackRecord,
): Promise<unknown> {
  const { project, stack } = stackPartsOf(id)
  const last =
    deployments === 0
      ? undefined
      : await readHistoryRecord(catalog, deploymentIdOf(id, deployments))
  const lastUpdate =
    last === undefined ? {} : { lastUpdate: Math.floor((last.endedAt ?? last.startedAt) / 1_000) }
  return {
    id,
    orgName: organization,
    projectName: project,
    stackName: stack,
    ...lastUpdate,
    links: { self: '' },
  }
}
