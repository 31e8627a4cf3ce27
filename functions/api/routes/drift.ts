import * as z from 'zod'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { defineRoute, stackOf } from '../../../shared/api/define-route.ts'
import { pageQuery, parseCursor } from '../../../shared/api/pages.ts'
import {
  driftRunView,
  driftStatusView,
  readDriftRuns,
  readDriftStatus,
} from '../../../shared/pulumi-service/drift-runs.ts'

/** Routes for the drift of a stack. The routes for Pulumi's clients return the same drift. */
export const stackDriftRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/drift/status',
    role: 'read',
    scope: 'stack',
    summary: 'The drift that the latest run found',
    output: driftStatusView,
    run: async (ports, { params }) => ({
      json: await readDriftStatus(ports, await requireStack(ports, stackOf(params))),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/drift/runs',
    role: 'read',
    scope: 'stack',
    summary: 'List the runs that detected drift, newest first',
    query: z.object(pageQuery),
    output: z.object({
      items: z.array(driftRunView),
      total: z.number(),
      next: z.string().optional(),
    }),
    run: async (ports, { params, query }) => {
      const first = parseCursor(query.cursor)
      const stack = await requireStack(ports, stackOf(params))
      const { driftRuns, total } = await readDriftRuns(ports, stack, { first, size: query.limit })
      const end = first + driftRuns.length
      return { json: { items: driftRuns, total, ...(end < total ? { next: String(end) } : {}) } }
    },
  }),
]
