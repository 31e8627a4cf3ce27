import { queryLimits } from '../../config/query-limits.ts'
import { readHistory } from '../../engine/deployment/retention/read-history-and-versions.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import { DeployError, hasCode } from '../../errors/error.ts'
import { nameOf, type Urn } from '../../names/urn.ts'
import type { HistoryRecord, StackRecord } from '../../ports/catalog.ts'
import { deploymentPartsOf, type StackId, stackPartsOf } from '../../records/ids.ts'
import { hideStoredSecrets } from '../../state/diff-states.ts'
import { pendingOperationsOf } from '../../state/pending.ts'
import { isJsonObject, readTextField } from '../../state/stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../../state/stored.ts'
import type { JournalPorts } from '../compaction/fold-and-publish.ts'
import { readDeploymentTimeline } from '../state/state-at-time.ts'
import { readDriftOfDeployment, readDriftOfSchedules, type DriftPorts } from './drift-rows.ts'
import { flattenProperties } from './flatten-properties.ts'
import type { QueryTable, QueryValue } from './query-schema.ts'

/** The ports that queries read. */
export interface QueryPorts extends JournalPorts, DriftPorts {}

/** A row of a table. */
export type QueryRow = readonly [QueryTable, ...QueryValue[]]

/** The project and name of a stack, with which each row begins. */
type StackColumns = readonly [string, string]

/**
 * Yields the rows of the tables for the stacks, one stack after another, so that at most one state
 * is in memory. A damaged state yields no resources, and its error is in the row of its stack.
 */
export async function* loadTables(
  portsOf: (stack: StackId) => QueryPorts,
  stacks: readonly StackRecord[],
  tables: ReadonlySet<QueryTable>,
): AsyncGenerator<QueryRow> {
  const needsState = (['stacks', 'resources', 'properties', 'pending', 'search'] as const).some(
    table => tables.has(table),
  )
  for (const record of stacks) {
    const { project, stack } = stackPartsOf(record.id)
    const columns: StackColumns = [project, stack]
    const ports = portsOf(record.id)
    const { state, fault } = needsState ? await readStateOrFault(ports, record) : emptyReading
    yield [
      ...(['stacks', ...columns, record.version, record.deployments] as const),
      record.current === '' ? 0 : 1,
      state?.resources?.length ?? 0,
      formatTime(record.createdAt),
      fault,
    ]
    if (state !== undefined) yield* listStateRows(columns, state, tables)
    if ((['deployments', 'steps', 'drift'] as const).some(table => tables.has(table)))
      yield* listDeploymentRows(ports, { record, columns, tables })
    if (tables.has('drift'))
      for await (const values of readDriftOfSchedules(ports, record.id))
        yield ['drift', ...columns, ...values]
  }
}

interface StateReading {
  readonly state: StoredDeployment | undefined
  readonly fault: string | null
}

const emptyReading: StateReading = { state: undefined, fault: null }

/** Reads the published state of a stack. The fault of a damaged state is an error code. */
async function readStateOrFault(ports: JournalPorts, record: StackRecord): Promise<StateReading> {
  try {
    return { state: await readSnapshotBlob(ports.blobs, record.snapshot), fault: null }
  } catch (thrown) {
    if (!hasCode(thrown, 'STATE_INVALID')) throw thrown
    return { state: undefined, fault: thrown instanceof DeployError ? thrown.code : '' }
  }
}

function* listStateRows(
  columns: StackColumns,
  state: StoredDeployment,
  tables: ReadonlySet<QueryTable>,
): Generator<QueryRow> {
  for (const { resource, type } of tables.has('pending') ? pendingOperationsOf(state) : [])
    yield ['pending', ...columns, resource.urn, type]
  for (const resource of state.resources ?? []) {
    if (tables.has('resources')) yield ['resources', ...columns, ...resourceColumnsOf(resource)]
    if (tables.has('properties'))
      for (const kind of ['inputs', 'outputs'] as const)
        for (const { path, value, isSecret } of flattenProperties(resource[kind]))
          yield [
            ...(['properties', ...columns, resource.urn, kind, path] as const),
            value,
            isSecret ? 1 : 0,
          ]
    if (tables.has('search')) yield ['search', ...columns, ...searchColumnsOf(resource)]
  }
}

function resourceColumnsOf(resource: StoredResource): readonly QueryValue[] {
  const { urn, type } = resource
  const flags = ['protect', 'external', 'delete', 'taint'].map(name =>
    resource[name] === true ? 1 : 0,
  )
  const [id = '', parent = '', provider = '', created = '', modified = ''] = [
    ...['id', 'parent', 'provider', 'created', 'modified'],
  ].map(name => readTextField(resource, name))
  return [
    ...[urn, type, type.split(':')[0] ?? '', nameOf(urn as Urn), id],
    resource.custom ? 1 : 0,
    ...[parent, provider, ...flags, created, modified],
  ]
}

function searchColumnsOf(resource: StoredResource): readonly QueryValue[] {
  const { urn, type } = resource
  const texts = [resource['inputs'], resource['outputs']].map(properties =>
    isJsonObject(properties) ? JSON.stringify(hideStoredSecrets(properties)) : '',
  )
  const text = texts.join(' ').slice(0, queryLimits.valueCharsMax)
  return [urn, type, nameOf(urn as Urn), readTextField(resource, 'id'), text]
}

async function* listDeploymentRows(
  ports: QueryPorts,
  options: {
    readonly record: StackRecord
    readonly columns: StackColumns
    readonly tables: ReadonlySet<QueryTable>
  },
): AsyncGenerator<QueryRow> {
  const { record, columns, tables } = options
  let deploymentCount = 0
  let driftReadCount = 0
  for await (const entry of readHistory(ports.catalog, record.id)) {
    const { number } = deploymentPartsOf(entry.deployment)
    yield ['deployments', ...columns, number, ...historyColumnsOf(entry)]
    if (tables.has('steps') && deploymentCount < queryLimits.stepDeploymentsPerStack)
      for (const values of await readSteps(ports, record, number))
        yield ['steps', ...columns, number, ...values]
    if (tables.has('drift') && mayHaveDrift(entry)) {
      driftReadCount += 1
      if (driftReadCount <= queryLimits.stepDeploymentsPerStack)
        for await (const values of readDriftOfDeployment(ports, entry))
          yield ['drift', ...columns, ...values]
    }
    deploymentCount += 1
    if (deploymentCount === queryLimits.deploymentsPerStack) return
  }
}

async function readSteps(
  ports: QueryPorts,
  record: StackRecord,
  number: number,
): Promise<readonly (readonly QueryValue[])[]> {
  const { moments = [] } = await readDeploymentTimeline(ports, record, number).catch(
    (thrown: unknown) => {
      // A rename removes the records of earlier deployments, and keeps their history.
      if (hasCode(thrown, 'MOMENT_UNKNOWN')) return { moments: [] }
      throw thrown
    },
  )
  return moments.flatMap(({ moment, at, what: operation, urn, verdict }) =>
    urn === undefined ? [] : [[moment, formatTime(at), operation, urn, verdict ?? null]],
  )
}

/** Reports whether a deployment may have found drift. A refresh without changes has found none. */
function mayHaveDrift(entry: HistoryRecord): boolean {
  if (entry.command !== 'refresh') return entry.command === 'up' || entry.command === 'destroy'
  return entry.changes === undefined || countExceptSame(entry) > 0
}

/** Returns the number of operations except `same`. */
function countExceptSame({ changes = {} }: HistoryRecord): number {
  return Object.entries(changes)
    .filter(([operation]) => operation !== 'same')
    .reduce((sum, [, count]) => sum + count, 0)
}

function historyColumnsOf(entry: HistoryRecord): readonly QueryValue[] {
  const { command, result, version, message, by, startedAt, endedAt, changes = {} } = entry
  return [
    ...[command, result ?? null, version ?? null, message, formatTime(startedAt)],
    ...[
      endedAt === undefined ? null : formatTime(endedAt),
      countExceptSame(entry),
      JSON.stringify(changes),
      by ?? null,
    ],
  ]
}

function formatTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
