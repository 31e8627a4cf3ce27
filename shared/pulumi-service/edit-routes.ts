import { requireSameGroup } from '../runtime/groups/port-groups.ts'
import * as z from 'zod'
import { createOpenDeploymentError } from '../engine/deployment/ownership/stack-busy.ts'
import { createError } from '../errors/error.ts'
import { catalogue, type ErrorCode } from '../errors/catalogue.ts'
import { type BlobHash, type StackId, stackIdOf, stackPartsOf } from '../records/ids.ts'
import type { EditRequest, RequestEnd } from '../records/stack-request.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import { envelopeOf } from '../state/snapshot-codec.ts'
import { toPrintable } from '../triggers/printable.ts'
import { requirePermission } from '../api/authorization.ts'
import { putRequestOnce } from '../api/put-request.ts'
import { placeCallsForRename } from '../api/scheduler-calls.ts'
import { closeDeadDeployments } from './client-deployment.ts'
import { requireUpdate } from './client-update.ts'
import {
  parseEngineDeployment,
  readDeploymentUpdateStatus,
  type UpdateStatus,
} from './deployment-updates.ts'
import { stackOf } from '../api/define-route.ts'
import {
  organization,
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
  updatePath,
} from './service-route.ts'
import { requireRenamePermission } from '../api/require-policy-permission.ts'

/** Maximum time that a call waits for the end of an edit, in ms. On AWS, a call ends after 30 s. */
const editWaitMs = 20_000
const editPollMs = 100
/** Maximum size of an imported state, unpacked. */
const importBytesMax = 512 * 1024 * 1024
/** The beginning of the update id of an edit. The key of its request follows. */
const editPrefix = 'edit-'

const nameForm = z.string().regex(/^([\w.-]{1,100})?$/)
const renameForm = z.looseObject({
  newName: nameForm.nullish(),
  newProject: nameForm.nullish(),
  newOrganization: z.string().nullish(),
})

/**
 * Routes for imports, renames and the status of updates. Imports and renames are requests in the
 * queue of the stack. A generator runs them, and the calls wait for their end.
 */
export const serviceEditRoutes: readonly ServiceRoute[] = [
  {
    method: 'POST',
    path: `${stackPath}/import`,
    role: 'deploy',
    hasStateBody: true,
    bodyBytesMax: importBytesMax,
    run: (ports, call) => importState(ports, call),
  },
  {
    method: 'POST',
    path: `${stackPath}/rename`,
    role: 'deploy',
    run: (ports, call) => renameStack(ports, call),
  },
  {
    method: 'GET',
    path: updatePath,
    role: 'read',
    run: (ports, call) => readUpdate(ports, call),
  },
]

async function importState(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { id: stack } = await requireIdle(ports, stackOf(call.params))
  const deployment = call.state?.deployment ?? undefined
  if (deployment === undefined)
    throw createError('STATE_INVALID', 'an import needs a state with a deployment')
  const bytes = await printStateBlob(await envelopeOf(deployment))
  const state: BlobHash = await ports.archives.put(stack, bytes)
  const key = ports.random.uuid()
  const edit = { kind: 'import', state, force: true } as const
  await requestEdit(ports, call, { stack, key, edit })
  await awaitEdit(ports, stack, key)
  return { updateId: `${editPrefix}${key}` }
}

async function renameStack(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { newName, newProject, newOrganization } = parseBody(renameForm, call)
  requireNoTransfer(newOrganization ?? '')
  const { id: stack } = await requireIdle(ports, stackOf(call.params))
  const parts = stackPartsOf(stack)
  const to = stackIdOf(newProject || parts.project, newName || parts.stack)
  requirePermission(call.caller, 'deploy', to)
  requireSameGroup(ports.stackGroups ?? [], stack, to)
  await requireRenamePermission(ports, { caller: call.caller, stack })
  if ((await ports.catalog.getStack(to)) !== undefined)
    throw createError('STACK_EXISTS', `the stack '${stackPartsOf(to).stack}' already exists`)
  const placements = await placeCallsForRename(ports, stack, to)
  const key = ports.random.uuid()
  await requestEdit(ports, call, { stack, key, edit: { kind: 'rename stack', to, placements } })
  if ((await awaitEdit(ports, stack, key)) !== 'succeeded')
    throw createError('STACK_BUSY', 'the rename waits for another deployment')
  return {}
}

/** Throws API_INPUT_INVALID if a rename names another organization. '': the current one. */
function requireNoTransfer(newOrganization: string): void {
  if (newOrganization === '' || newOrganization === organization) return
  throw createError(
    'API_INPUT_INVALID',
    `the stack cannot be transferred to the organization '${toPrintable(newOrganization)}': all stacks belong to '${organization}'`,
    { hint: 'Rename the stack without another organization.' },
  )
}

/**
 * Closes the dead deployments of a stack, and returns its record. Throws STACK_NOT_FOUND, and
 * STACK_BUSY if another deployment is open.
 */
async function requireIdle(ports: ServicePorts, stack: StackId) {
  const record = await closeDeadDeployments(ports, stack)
  if (record.current === '') return record
  throw await createOpenDeploymentError(ports, record.current)
}

async function requestEdit(
  ports: ServicePorts,
  { caller }: ServiceCall,
  fields: Pick<EditRequest, 'stack' | 'key' | 'edit'>,
): Promise<void> {
  const request: EditRequest = { ...fields, at: ports.clock.now(), by: `${caller.name} (pulumi)` }
  await putRequestOnce(ports, request, async () => undefined)
  await ports.nudges.nudge(fields.stack, 0)
}

/** Waits for the end of an edit, at most `editWaitMs`. Throws the error of a refused edit. */
async function awaitEdit(ports: ServicePorts, stack: StackId, key: string): Promise<UpdateStatus> {
  const deadlineMs = ports.clock.monotonicMs() + editWaitMs
  for (;;) {
    const end = (await ports.requests.find(stack, key))?.end
    const status = await statusOfEdit(ports, end)
    if (end?.kind === 'refused') throw refusalOf(end)
    if (status !== 'running' || ports.clock.monotonicMs() > deadlineMs) return status
    await ports.clock.sleep(editPollMs)
  }
}

function refusalOf({ code, message, hint }: RequestEnd & { readonly kind: 'refused' }): Error {
  const options = hint === undefined ? {} : { hint }
  return Object.hasOwn(catalogue, code)
    ? createError(code as ErrorCode, message, options)
    : createError('API_INPUT_INVALID', message, options)
}

async function statusOfEdit(
  ports: ServicePorts,
  end: RequestEnd | undefined,
): Promise<UpdateStatus> {
  if (end === undefined) return 'running'
  if (end.kind === 'renamed') return 'succeeded'
  return end.kind === 'started' ? readDeploymentUpdateStatus(ports, end.deployment) : 'failed'
}

/**
 * Returns the status of an update. After an import, clients poll it until a reply has no
 * continuation token.
 */
async function readUpdate(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const status = await readStatus(ports, stackOf(call.params), call.params['update'] ?? '')
  const isPending = status === 'running' || status === 'not started'
  return { status, events: [], ...(isPending ? { continuationToken: '0' } : {}) }
}

async function readStatus(ports: ServicePorts, stack: StackId, id: string): Promise<UpdateStatus> {
  if (id.startsWith(editPrefix)) {
    const request = await ports.requests.find(stack, id.slice(editPrefix.length))
    if (request === undefined)
      throw createError('DEPLOYMENT_UNKNOWN', 'the stack has no such update')
    return statusOfEdit(ports, request.end)
  }
  const engineDeployment = parseEngineDeployment(stack, id)
  if (engineDeployment !== undefined) return readDeploymentUpdateStatus(ports, engineDeployment)
  const { update } = await requireUpdate(ports, stack, id)
  if (update.deployment !== undefined) return readDeploymentUpdateStatus(ports, update.deployment)
  return update.status ?? (update.lease === undefined ? 'not started' : 'running')
}
