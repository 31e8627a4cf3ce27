import { parseStackItem } from '../../shared/platform/aws/dynamo/stack-record.ts'
import { parseHeadItem } from '../../shared/platform/aws/dynamo/head-write-conditions.ts'
import { readFlag, readNumber, readText } from '../../shared/platform/aws/dynamo/table/item.ts'
import { catalogKeys, journalKeys } from '../../shared/platform/aws/dynamo/record-keys.ts'
import { keyOf } from '../../shared/platform/aws/dynamo/table/table.ts'
import type { TableNames } from '../../shared/platform/aws/dynamo/table-definitions.ts'
import type { CatalogPort } from '../../shared/ports/catalog.ts'
import type {
  BlobsPort,
  DecisionLogPort,
  LeasesPort,
  OperationsPort,
} from '../../shared/ports/records.ts'
import type { Head, Lease, Outcome, StopFlag } from '../../shared/records/head.ts'
import type { DeploymentId, EpochMs, OperationId, StackId } from '../../shared/records/ids.ts'
import type { LateOutcome } from '../../shared/records/late-outcome.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import type { ModelItem } from './model-expressions.ts'
import type { ModelTables } from './model-tables.ts'
import type { SynchronousPort } from './sync.ts'

/** Synchronous reads of the current records, for checks between two requests. */
export interface CurrentRecords {
  readonly log: Pick<SynchronousPort<DecisionLogPort>, 'read'>
  readonly operations: Pick<SynchronousPort<OperationsPort>, 'getHeads' | 'getEnds'>
  readonly leases: Pick<SynchronousPort<LeasesPort>, 'list'>
  readonly catalog: Pick<
    SynchronousPort<CatalogPort>,
    'getStack' | 'listStacks' | 'listLateOutcomes'
  >
  readonly blobs: Pick<SynchronousPort<BlobsPort>, 'get'>
}

/** Writes from outside of all processes, immediate and atomic. */
export interface ManualWrites {
  readonly createStack: (id: StackId, createdAtMs: EpochMs) => Promise<boolean> | boolean
  readonly stop: (deployment: DeploymentId, stop: Exclude<StopFlag, 'none'>) => Promise<void> | void
  readonly arrive: (deployment: DeploymentId, id: OperationId, arrivingId: OperationId) => unknown
}

/** Names of the tables of a world. */
export const tableNames: TableNames = { journal: 'journal', catalog: 'catalog' }

/**
 * The parsed JSON field of each item. The checks parse only one field of each item. An item is
 * never modified, only replaced.
 */
const parsedFields = new WeakMap<ModelItem, unknown>()

function jsonOf<T>(item: ModelItem, name: string): T {
  const value = parsedFields.get(item) ?? JSON.parse(readText(item, name))
  parsedFields.set(item, value)
  return value as T
}

/** Returns synchronous reads of the tables. Callers must not modify the records they return. */
export function readCurrentRecords(
  tables: ModelTables,
  blobs: CurrentRecords['blobs'],
): CurrentRecords {
  const { journal, catalog } = tableNames
  const headOf = (deployment: DeploymentId, id: OperationId): Head | undefined => {
    const item = tables.get(journal, keyOf(journalKeys.head(deployment, id)))
    return item === undefined ? undefined : parseHeadItem(deployment, id, item)
  }
  const outcomeOf = (deployment: DeploymentId, id: OperationId, attempt: number) => {
    const item = tables.get(journal, keyOf(journalKeys.outcome(deployment, id, attempt)))
    return item === undefined ? undefined : jsonOf<Outcome>(item, 'record')
  }
  const stackOf = (id: StackId) =>
    parseStackItem(id, tables.get(catalog, keyOf(catalogKeys.stack(id))))
  const stacks = () =>
    tables.partition(catalog, catalogKeys.stackListEntry('').pk).flatMap(item => {
      const stack = stackOf(readText(item, 'sk') as StackId)
      return stack === undefined ? [] : [stack]
    })
  return {
    log: {
      read: (deployment, from, limit) =>
        tables
          .partition(journal, journalKeys.log(deployment, 0).pk)
          .slice(from, from + limit)
          .map(item => jsonOf<LogRecord>(item, 'record')),
    },
    operations: {
      getHeads: (deployment, ids) => new Map(ids.flatMap(id => pairOf(id, headOf(deployment, id)))),
      getEnds: (deployment, ids) =>
        new Map(
          ids.flatMap(id => {
            const head = headOf(deployment, id)
            const { end } = head ?? {}
            const outcome = end === undefined ? undefined : outcomeOf(deployment, id, end.attempt)
            return pairOf(
              id,
              head === undefined ? undefined : { head, ...(outcome && { outcome }) },
            )
          }),
        ),
    },
    leases: {
      list: deployment =>
        tables.partition(journal, journalKeys.lease(deployment, '').pk).map(leaseOf),
    },
    catalog: {
      getStack: stackOf,
      listStacks: () => ({ stacks: stacks(), unreadable: [] }),
      listLateOutcomes: (id, limit) =>
        tables
          .partition(journal, journalKeys.late(id, '').pk)
          .filter(item => !readFlag(item, 'taken'))
          .slice(0, limit)
          .map(item => jsonOf<LateOutcome>(item, 'item')),
    },
    blobs,
  }
}

function pairOf<T>(id: OperationId, record: T | undefined): readonly (readonly [OperationId, T])[] {
  return record === undefined ? [] : [[id, record]]
}

function leaseOf(item: ModelItem): Lease {
  return {
    executor: readText(item, 'sk') as Lease['executor'],
    holder: jsonOf(item, 'holder'),
    counter: readNumber(item, 'counter'),
    retired: readFlag(item, 'retired'),
    left: readFlag(item, 'left'),
    groups: [],
  }
}
