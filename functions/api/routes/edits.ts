import * as z from 'zod'
import { createOpenDeploymentError } from '../../../shared/engine/deployment/ownership/stack-busy.ts'
import { createError } from '../../../shared/errors/error.ts'
import {
  type EditRequest,
  isEditRequest,
  type RequestRecord,
} from '../../../shared/records/stack-request.ts'
import { archiveNameOf } from '../../../shared/records/archive-name.ts'
import { type BlobHash, type StackId, stackIdOf } from '../../../shared/records/ids.ts'
import { requireSameGroup } from '../../../shared/runtime/groups/port-groups.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { stateEditForm } from '../../../shared/state/edits/state-edit.ts'
import {
  idempotencyKeyOf,
  putRequestOnce,
  requestView,
  requestViewOf,
} from '../../../shared/api/put-request.ts'
import { requirePermission } from '../../../shared/api/authorization.ts'
import { requireArchive } from '../require-archive.ts'
import { placeCallsForRename } from '../../../shared/api/scheduler-calls.ts'
import {
  type ApiPorts,
  defineRoute,
  type RouteCall,
  stackOf,
} from '../../../shared/api/define-route.ts'
import { requireRenamePermission } from '../../../shared/api/require-policy-permission.ts'

/** A name of a project or stack. */
const nameForm = z.string().regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, _, . and -')

/**
 * Routes that request edits of a state, and renames. A generator runs the edits and renames,
 * because the API publishes no state. Source:
 * docs/decisions/0025-an-edit-is-a-request-that-does-not-wait.md.
 */
export const editRoutes = [
  defineRoute({
    method: 'POST',
    path: '/v1/stacks/{project}/{stack}/edits',
    role: 'deploy',
    scope: 'stack',
    status: 202,
    summary:
      'Request an edit of the state. The header idempotency-key identifies it: a repeated request has no further effect.',
    body: z.strictObject({ edit: stateEditForm }),
    output: requestView,
    run: async (ports, call) => {
      const { id: stack } = await requireStack(ports, stackOf(call.params))
      const key = idempotencyKeyOf(call.request, ports)
      const { edit } = call.body
      // The caller sends the hash of the state's archive. The stored request has the name of the
      // archive, which depends on the stack. So the edit never reads an archive of another stack.
      const state = 'state' in edit ? (edit.state as BlobHash) : undefined
      const namedEdit = state === undefined ? edit : { ...edit, state: archiveNameOf(stack, state) }
      return putEdit(ports, call, { stack, key, edit: namedEdit }, async () => {
        await requireIdleStack(ports, stack)
        if (state !== undefined) await requireArchive(ports, stack, state)
      })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/stacks/{project}/{stack}/rename',
    role: 'deploy',
    scope: 'stack',
    status: 202,
    summary:
      'Request another name or project of the stack; the token must cover both. A repeated request with the same idempotency-key has no further effect.',
    body: z.strictObject({ project: nameForm, stack: nameForm }),
    output: requestView,
    run: async (ports, call) => {
      const stack = stackOf(call.params)
      const to = stackIdOf(call.body.project, call.body.stack)
      requirePermission(call.caller, 'deploy', to)
      requireSameGroup(ports.stackGroups ?? [], stack, to)
      const key = idempotencyKeyOf(call.request, ports)
      const storedRequest = await ports.requests.find(stack, key)
      if (storedRequest !== undefined && isRenameTo(storedRequest, to))
        return nudgeForRequest(ports, storedRequest)
      await requireStack(ports, stack)
      await requireRenamePermission(ports, { caller: call.caller, stack })
      if ((await ports.catalog.getStack(to)) !== undefined)
        throw createError('STACK_EXISTS', `the stack '${call.body.stack}' already exists`)
      await requireIdleStack(ports, stack)
      const placements = await placeCallsForRename(ports, stack, to)
      const edit = { kind: 'rename stack', to, placements } as const
      return putEdit(ports, call, { stack, key, edit }, async () => undefined)
    },
  }),
]

function isRenameTo({ request }: RequestRecord, to: StackId): boolean {
  return isEditRequest(request) && request.edit.kind === 'rename stack' && request.edit.to === to
}

/** Puts the request of an edit, and sends a nudge. Throws the errors of `putRequestOnce`. */
async function putEdit(
  ports: ApiPorts,
  { caller }: Pick<RouteCall<unknown, unknown>, 'caller'>,
  fields: Pick<EditRequest, 'stack' | 'key' | 'edit'>,
  requireValid: () => Promise<void>,
): Promise<{ readonly json: unknown }> {
  const by = `${caller.name} (API)`
  const newRequest: EditRequest = { ...fields, at: ports.clock.now(), by }
  return nudgeForRequest(ports, await putRequestOnce(ports, newRequest, requireValid))
}

/**
 * Sends a nudge for a stored request without an end, and returns its view. The process that put the
 * request may have died before its nudge, so a repetition sends one too.
 */
async function nudgeForRequest(
  { nudges }: Pick<ApiPorts, 'nudges'>,
  storedRequest: RequestRecord,
): Promise<{ readonly json: unknown }> {
  if (storedRequest.end === undefined) await nudges.nudge(storedRequest.request.stack, 0)
  return { json: requestViewOf(storedRequest) }
}

/**
 * Requires that an edit can run soon, because its sender does not wait for a deployment. Throws
 * STACK_NOT_FOUND. Throws STACK_BUSY for a stack with an open deployment, or whose first waiting
 * request is no edit.
 */
async function requireIdleStack(
  ports: Pick<ApiPorts, 'catalog' | 'requests' | 'control' | 'clock'>,
  stack: StackId,
): Promise<void> {
  const { current } = await requireStack(ports, stack)
  const [firstRequest] = await ports.requests.listWaiting(stack, 1)
  const hasDeploymentRequest = firstRequest !== undefined && !isEditRequest(firstRequest)
  if (current === '' && !hasDeploymentRequest) return
  if (current === '')
    throw createError('STACK_BUSY', 'a request is waiting for this stack', {
      hint: 'Wait for its end, or withdraw it with DELETE /v1/stacks/{project}/{stack}/requests/{key}.',
    })
  throw await createOpenDeploymentError(ports, current)
}
