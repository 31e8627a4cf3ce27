import { requireStack } from '../runtime/state/export-state.ts'
import { stackOf } from '../api/define-route.ts'
import { readDriftRuns, readDriftStatus } from './drift-runs.ts'
import { parsePage } from './parse-page.ts'
import { type ServiceRoute, stackPath } from './service-route.ts'

/** Routes for the drift of a stack. The drift is derived from requests, and is not stored. */
export const driftRoutes: readonly ServiceRoute[] = [
  {
    method: 'GET',
    path: `${stackPath}/drift/status`,
    role: 'read',
    run: async (ports, { params }) =>
      readDriftStatus(ports, await requireStack(ports, stackOf(params))),
  },
  {
    method: 'GET',
    path: `${stackPath}/drift/runs`,
    role: 'read',
    run: async (ports, { params, query }) => {
      const page = parsePage(query)
      const stack = await requireStack(ports, stackOf(params))
      return { ...(await readDriftRuns(ports, stack, page)), itemsPerPage: page.size }
    },
  },
]
