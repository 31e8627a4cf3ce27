import { kindsByCommand } from '../backends/update-kind.ts'
import { createError } from '../errors/error.ts'
import type { HistoryRecord, StackRecord } from '../ports/catalog.ts'
import { hasSecure, isContainer, isSecure, toConfigTree } from '../programs/config/config-tree.ts'
import { deploymentPartsOf } from '../records/ids.ts'
import type { Json } from '../state/stored.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { findStoredUpdate, findUpdateId } from './client-update.ts'
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
/** Maximum number of entries among which the latest configuration is searched. */
const configEntriesMax = 50

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
      for (const entry of history)
        updates.push(updateInfoOf(record, entry, await readConfig(ports, entry)))
      return { updates }
    },
  },
  {
    method: 'GET',
    path: `${stackPath}/updates/latest`,
    role: 'read',
    run: async (ports, call) => {
      const record = await requireStack(ports, stackOf(call.params))
      const entries = await ports.catalog.listHistory(record.id, configEntriesMax)
      const [entry] = entries
      if (entry === undefined)
        throw createError('DEPLOYMENT_UNKNOWN', 'the stack was never updated')
      return { info: updateInfoOf(record, entry, await findLatestConfig(ports, entries)) }
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
function updateInfoOf(
  stack: StackRecord,
  entry: HistoryRecord,
  { environment = {}, config = {} }: EntryConfig,
): object {
  const { command, message, startedAt, endedAt, result, version, changes } = entry
  return {
    // Clients have no kind for an edit of a state, so an edit has the kind of an import.
    kind: command === 'state' ? 'import' : kindsByCommand[command],
    message,
    startTime: Math.floor(startedAt / 1_000),
    endTime: Math.floor((endedAt ?? startedAt) / 1_000),
    environment,
    config,
    result: result === undefined ? 'in-progress' : result === 'succeeded' ? 'succeeded' : 'failed',
    version: clientVersionOf(stack, version),
    resourceChanges: changes ?? {},
    deployment: null,
  }
}

/** The configuration of a history entry as clients read it. Absent fields were not recorded. */
interface EntryConfig {
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

async function readConfig(ports: ServicePorts, entry: HistoryRecord): Promise<EntryConfig> {
  const { stack } = deploymentPartsOf(entry.deployment)
  const id = await findUpdateId(ports, entry.deployment)
  const stored = id === undefined ? undefined : await findStoredUpdate(ports, stack, id)
  if (stored !== undefined) return stored.update
  const { environment, config } = entry
  return { environment, config: config === undefined ? undefined : toClientConfig(config) }
}

/** Returns the configuration of a deployment of this engine in the form of clients. */
function toClientConfig(config: NonNullable<HistoryRecord['config']>): Record<string, unknown> {
  const entries = Object.entries(config).map(([key, value]) => [key, toClientValue(value)])
  return Object.fromEntries(entries) as Record<string, unknown>
}

function toClientValue(value: Json): unknown {
  const tree = toConfigTree(value)
  if (isSecure(tree)) return { string: tree.ciphertext, secret: true, object: false }
  return isContainer(tree)
    ? { string: JSON.stringify(value), secret: hasSecure(tree), object: true }
    : { string: String(tree), secret: false, object: false }
}

/**
 * Returns the latest recorded configuration, with which clients replace the stack file. A `destroy`
 * outside of the project folder uses it too. An edit of the state has none, and neither has a
 * deployment whose configuration was too large or that ran on the server. If no configuration is
 * recorded, returns an empty one.
 */
async function findLatestConfig(
  ports: ServicePorts,
  entries: readonly HistoryRecord[],
): Promise<EntryConfig> {
  for (const entry of entries) {
    const recorded = await readConfig(ports, entry)
    const { config } = recorded
    const isEdit = stateCommands.includes(entry.command) && Object.keys(config ?? {}).length === 0
    if (config !== undefined && !isEdit) return recorded
  }
  return {}
}

/** Commands that change only the state, so that their entries have no configuration. */
const stateCommands: readonly HistoryRecord['command'][] = ['stack import', 'stack rename', 'state']
