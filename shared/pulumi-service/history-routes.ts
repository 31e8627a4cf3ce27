import { kindsByCommand } from '../backends/update-kind.ts'
import { createError } from '../errors/error.ts'
import type { HistoryRecord, StackRecord } from '../ports/catalog.ts'
import { deploymentPartsOf } from '../records/ids.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { findStoredUpdate, findUpdateId, type StoredUpdate } from './client-update.ts'
import { stackOf } from '../api/define-route.ts'
import { clientVersionOf } from './find-named-deployment.ts'
import { parsePositive } from './parse-page.ts'
import {
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
} from './service-route.ts'

/** Maximum number of entries of one response. It is also the default. */
const entriesMax = 500

/**
 * Routes for the history of a stack. The history has the deployments of clients and of this engine.
 */
export const historyRoutes: readonly ServiceRoute[] = [
  {
    method: 'GET',
    path: `${stackPath}/updates`,
    role: 'read',
    run: async (ports, call) => {
      const record = await requireStack(ports, stackOf(call.params))
      const history = await readPage(ports, record, call)
      const updates = []
      for (const entry of history) updates.push(await updateInfoOf(ports, record, entry))
      return { updates }
    },
  },
  {
    method: 'GET',
    path: `${stackPath}/updates/latest`,
    role: 'read',
    run: async (ports, call) => {
      const record = await requireStack(ports, stackOf(call.params))
      const [entry] = await ports.catalog.listHistory(record.id, 1)
      if (entry === undefined)
        throw createError('DEPLOYMENT_UNKNOWN', 'the stack was never updated')
      return { info: await updateInfoOf(ports, record, entry) }
    },
  },
  {
    method: 'GET',
    path: `${stackPath}/updates/latest/previews`,
    role: 'read',
    run: async () => ({ updates: [] }),
  },
]

/** Returns a page of the history, newest first. Pages are numbered from 1. */
async function readPage(
  { catalog }: ServicePorts,
  { id, deployments }: StackRecord,
  { query }: ServiceCall,
): Promise<readonly HistoryRecord[]> {
  const size = Math.min(parsePositive(query['pageSize']) ?? entriesMax, entriesMax)
  const skipped = ((parsePositive(query['page']) ?? 1) - 1) * size
  const before = deployments + 1 - skipped
  return before <= 1 ? [] : catalog.listHistory(id, size, before)
}

/** Returns a history entry as clients read it. */
async function updateInfoOf(
  ports: ServicePorts,
  stack: StackRecord,
  entry: HistoryRecord,
): Promise<unknown> {
  const update = await findUpdateOf(ports, entry)
  const { command, message, startedAt, endedAt, result, version, changes } = entry
  return {
    // Clients have no kind for an edit of a state, so an edit has the kind of an import.
    kind: command === 'state' ? 'import' : kindsByCommand[command],
    message,
    startTime: Math.floor(startedAt / 1_000),
    endTime: Math.floor((endedAt ?? startedAt) / 1_000),
    environment: update?.update.environment ?? {},
    config: update?.update.config ?? {},
    result: result === undefined ? 'in-progress' : result === 'succeeded' ? 'succeeded' : 'failed',
    version: clientVersionOf(stack, version),
    resourceChanges: changes ?? {},
    deployment: null,
  }
}

async function findUpdateOf(
  ports: ServicePorts,
  { deployment }: HistoryRecord,
): Promise<StoredUpdate | undefined> {
  const { stack } = deploymentPartsOf(deployment)
  const id = await findUpdateId(ports, deployment)
  return id === undefined ? undefined : findStoredUpdate(ports, stack, id)
}
