import * as z from 'zod'
import { createOpenDeploymentError } from '../../../shared/engine/deployment/ownership/stack-busy.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { StackRecord } from '../../../shared/ports/catalog.ts'
import { stackIdOf, stackPartsOf } from '../../../shared/records/ids.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { requireEmptyStack } from '../../../shared/runtime/state/require-empty-stack.ts'
import { listAllStacks, portsOfStack } from '../../../shared/runtime/groups/port-groups.ts'
import { cutResultPage, createPageForm, pageQuery } from '../../../shared/api/pages.ts'
import { removeIdleStack } from '../../../shared/runtime/state/remove-idle-stack.ts'
import { coversStack } from '../../../shared/api/authorization.ts'
import { type ApiPorts, defineRoute, stackOf } from '../../../shared/api/define-route.ts'
import { deploymentView, deploymentViewOf } from './deployments.ts'

const projectNameForm = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, _, . and -')

/** A stack in the API. */
const stackView = z.object({
  id: z.string(),
  project: z.string(),
  stack: z.string(),
  createdAt: z.number(),
  /** The deployment that is running or was interrupted, '' for none. */
  current: z.string(),
  /** Version of the published snapshot. 0 before the first publication. */
  version: z.number(),
  /** Number of the last deployment. */
  deployments: z.number(),
  /** The last deployment. Absent without one, and unless the query requests it. */
  last: deploymentView.optional(),
})

/** Routes for creating, listing and removing stacks. */
export const stackRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks',
    role: 'read',
    scope: 'any',
    summary: 'List the stacks of the token, ordered by id',
    query: z.object({
      ...pageQuery,
      project: projectNameForm.optional(),
      /** Whether each stack has its last deployment, as `last`. */
      last: z.stringbool().default(false),
    }),
    output: createPageForm(stackView).extend({
      unreadable: z.array(z.object({ id: z.string(), code: z.string() })),
    }),
    run: async (ports, { caller, query }) => {
      const stackList = await listAllStacks(ports, query.project)
      const coveredStacks = stackList.stacks.filter(({ id }) => coversStack(caller.stacks, id))
      const unreadable = stackList.unreadable
        .filter(({ id }) => coversStack(caller.stacks, id))
        .map(({ id, reason }) => ({ id, code: 'code' in reason ? String(reason.code) : '' }))
      const page = cutResultPage(coveredStacks, query)
      const items = await Promise.all(
        page.items.map(async record => ({
          ...stackViewOf(record),
          ...(query.last ? await readLastDeployment(portsOfStack(ports, record.id), record) : {}),
        })),
      )
      return { json: { ...page, items, unreadable } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/stacks/{project}/{stack}',
    role: 'deploy',
    scope: 'stack',
    summary: 'Create a stack',
    status: 201,
    output: stackView,
    run: async (ports, { params }) => {
      const { catalog, clock } = ports
      const id = stackIdOf(params['project'] ?? '', params['stack'] ?? '')
      if (!(await catalog.createStack(id, clock.now())))
        throw createError('STACK_EXISTS', `the stack '${id}' already exists`)
      return { json: stackViewOf(await requireStack(ports, id)) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}',
    role: 'read',
    scope: 'stack',
    summary: 'Get a stack',
    output: stackView,
    run: async (ports, { params }) => ({
      json: stackViewOf(await requireStack(ports, stackOf(params))),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/stacks/{project}/{stack}',
    role: 'admin',
    scope: 'stack',
    summary: 'Remove a stack without resources; with force, its resources stay at their providers',
    query: z.object({ force: z.stringbool().default(false) }),
    output: z.object({ removed: z.boolean() }),
    run: async (ports, { params, query }) => {
      const id = stackOf(params)
      const record = await requireStack(ports, id)
      if (record.current !== '') throw await createOpenDeploymentError(ports, record.current)
      if (!query.force) await requireEmptyStack(ports, id)
      await removeIdleStack(ports, id)
      return { json: { removed: true } }
    },
  }),
]

/** Returns the last deployment of a stack as `last`, or no field without one. */
async function readLastDeployment(
  { catalog }: Pick<ApiPorts, 'catalog'>,
  { id, deployments }: StackRecord,
): Promise<{ readonly last?: z.infer<typeof deploymentView> }> {
  const [record] = await catalog.listHistory(id, 1, deployments + 1)
  return record === undefined ? {} : { last: deploymentViewOf(record) }
}

function stackViewOf({ id, createdAt, current, version, deployments }: StackRecord) {
  return { id, ...stackPartsOf(id), createdAt, current, version, deployments }
}
