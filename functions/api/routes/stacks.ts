import { z } from 'zod'
import { error } from '../../../shared/errors/error.ts'
import type { StackRecord } from '../../../shared/ports/catalog.ts'
import { stackIdOf, stackPartsOf } from '../../../shared/records/ids.ts'
import { exportState, knownStack } from '../../compaction/export-state.ts'
import { requireEmpty } from '../../compaction/require-empty.ts'
import { cut, pageOf, pageQuery } from '../page.ts'
import { forgetStack } from '../placed-calls.ts'
import { covers } from '../roles.ts'
import { route, stackOf } from '../route.ts'

const word = z.string().regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, _, . and -')

/** A stack as the API tells it. */
const stackView = z.object({
  id: z.string(),
  project: z.string(),
  stack: z.string(),
  createdAt: z.number(),
  /** The deployment that runs or was left; '' for none. */
  current: z.string(),
  /** Of the published snapshot; 0 before the first. */
  version: z.number(),
  /** Number of the last deployment. */
  deployments: z.number(),
})

/** Making, listing and removing stacks. */
export const stackRoutes = [
  route({
    method: 'GET',
    path: '/v1/stacks',
    role: 'read',
    scope: 'any',
    summary: 'The stacks that the token is for, by their ids',
    query: z.object({ ...pageQuery, project: word.optional() }),
    output: pageOf(stackView).extend({
      unreadable: z.array(z.object({ id: z.string(), code: z.string() })),
    }),
    run: async ({ catalog }, { caller, query }) => {
      const found = await catalog.stacks(query.project)
      const mine = found.stacks.filter(({ id }) => covers(caller.stacks, id))
      const unreadable = found.unreadable
        .filter(({ id }) => covers(caller.stacks, id))
        .map(({ id, why }) => ({ id, code: 'code' in why ? String(why.code) : '' }))
      const page = cut(mine, query)
      return { json: { ...page, items: page.items.map(viewOf), unreadable } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/stacks/{project}/{stack}',
    role: 'deploy',
    scope: 'stack',
    summary: 'Make a stack',
    status: 201,
    output: stackView,
    run: async (ports, { params }) => {
      const { catalog, clock } = ports
      const id = stackIdOf(params['project'] ?? '', params['stack'] ?? '')
      if (!(await catalog.createStack(id, clock.now())))
        throw error('STACK_EXISTS', `there is a stack '${id}' already`)
      return { json: viewOf(await knownStack(ports, id)) }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}',
    role: 'read',
    scope: 'stack',
    summary: 'A stack',
    output: stackView,
    run: async (ports, { params }) => ({ json: viewOf(await knownStack(ports, stackOf(params))) }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/stacks/{project}/{stack}',
    role: 'admin',
    scope: 'stack',
    summary: 'Remove a stack that has no resources; with force, whatever it has is left behind',
    query: z.object({ force: z.stringbool().default(false) }),
    output: z.object({ removed: z.boolean() }),
    run: async (ports, { params, query }) => {
      const id = stackOf(params)
      const record = await knownStack(ports, id)
      const { stack } = stackPartsOf(id)
      if (record.current !== '') throw busy(stack)
      const late = await ports.catalog.late(id, lateMax)
      if (!query.force) requireEmpty(stack, await exportState(ports, id), late.length)
      if (!(await ports.catalog.removeStack(id))) throw busy(stack)
      await forgetStack(ports, id)
      return { json: { removed: true } }
    },
  }),
]

/** One is enough to refuse. */
const lateMax = 100

function busy(stack: string): Error {
  return error('STACK_BUSY', `a deployment of the stack '${stack}' is under way`, {
    hint: 'Wait for it, or end it with `antichain cancel`.',
  })
}

function viewOf({ id, createdAt, current, version, deployments }: StackRecord) {
  return { id, ...stackPartsOf(id), createdAt, current, version, deployments }
}
