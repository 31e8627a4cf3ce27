import * as z from 'zod'
import { queryLimits } from '../../../shared/config/query-limits.ts'
import { runQuery } from '../../../shared/runtime/query/run-query.ts'
import { listAllStacks, portsOfStack } from '../../../shared/runtime/groups/port-groups.ts'
import { coversStack } from '../../../shared/api/authorization.ts'
import { defineRoute } from '../../../shared/api/define-route.ts'

/** The route that runs a SQL query over the stacks of the token. */
export const queryRoutes = [
  defineRoute({
    method: 'POST',
    path: '/v1/query',
    role: 'read',
    scope: 'any',
    summary: 'Query the stacks of the token in SQL (SQLite); the query can only read',
    body: z.strictObject({
      sql: z.string().min(1).max(queryLimits.sqlCharsMax),
      project: z.string().max(100).optional(),
    }),
    output: z.object({
      columns: z.array(z.string()),
      rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
      /** Whether further rows exceeded a limit. */
      isTruncated: z.boolean(),
      /** The ids of the stacks whose records cannot be read. The query omits them. */
      unreadable: z.array(z.string()),
    }),
    run: async (ports, { caller, body: { sql, project } }) => {
      const listing = await listAllStacks(ports, project)
      const stacks = listing.stacks.filter(({ id }) => coversStack(caller.stacks, id))
      const unreadable = listing.unreadable
        .map(({ id }) => id)
        .filter(id => coversStack(caller.stacks, id))
      return {
        json: { ...(await runQuery(id => portsOfStack(ports, id), stacks, sql)), unreadable },
      }
    },
  }),
]
