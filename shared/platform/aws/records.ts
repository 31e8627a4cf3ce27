/**
 * aws/dynamo: the ports for records, over DynamoDB. Each record is one item, and each write during
 * the run of an operation is one request on one item. Imports ports and below, and
 * platform/records.
 *
 * Invariants: 1. DynamoDB checks all conditions. The transition table defines those of head writes.
 * 2. Reads are strongly consistent, except for facts that stay true once they are true. 3. A write
 * is sent again when its response was lost. When a write is refused, the adapter therefore
 * checks whether the existing item is the result of the same write. 4. No table is scanned. When a
 * later search must find a record, the adapter first enters the record's key in a list.
 * 5. Temporary failures are retried a limited number of times; permanent failures are not retried.
 */
import type { AuditPort } from '../../ports/audit.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { TriggerPorts } from '../../ports/documents.ts'
import type { Platform } from '../../ports/platform.ts'
import type { UsagePort } from '../../ports/usage.ts'
import type { RandomPort } from '../../ports/system.ts'
import {
  withLargeDecisions,
  withLargeLateOutcomes,
  withLargeOutcomes,
} from '../records/large-records.ts'
import { withGapCheck } from '../records/gap-check.ts'
import { createAudit } from './dynamo/audit.ts'
import { createOperationBlocks } from './dynamo/operation-blocks.ts'
import { createCatalog } from './dynamo/catalog.ts'
import { createControl } from './dynamo/control.ts'
import { createDecisionLog } from './dynamo/decision-log.ts'
import { createDocuments } from './dynamo/documents.ts'
import { createEvents } from './dynamo/events.ts'
import { createLeases } from './dynamo/leases.ts'
import { createMarks } from './dynamo/marks.ts'
import { createOperations } from './dynamo/operations.ts'
import { createRequests } from './dynamo/requests.ts'
import { createRetention } from './dynamo/retention.ts'
import { createUsage } from './dynamo/usage.ts'
import { createStackRenames } from './dynamo/stack-renames.ts'
import type { DynamoDeps } from './dynamo/table/table.ts'
import type { TableNames } from './dynamo/table-definitions.ts'

/** The ports whose records are in DynamoDB. */
export type RecordPorts = Pick<
  Platform,
  | 'decisionLog'
  | 'operations'
  | 'control'
  | 'leases'
  | 'events'
  | 'catalog'
  | 'requests'
  | 'retention'
  | 'renames'
  | 'callLimits'
> &
  Pick<TriggerPorts, 'documents' | 'marks'> & {
    readonly audit: AuditPort
    readonly usage: UsagePort
  }

/** Creates the records in two tables. The large parts of a large record are stored as blobs. */
export function createRecords(
  deps: DynamoDeps & { readonly random: RandomPort; readonly tables: TableNames },
  blobs: BlobsPort,
): RecordPorts {
  const { random, tables, client, clock, region } = deps
  const tableDeps = { client, clock, random, region }
  const journalTable = { ...tableDeps, name: tables.journal }
  const catalogTable = { ...tableDeps, name: tables.catalog }
  const control = createControl(journalTable, random)
  return {
    decisionLog: withLargeDecisions(withGapCheck(createDecisionLog(journalTable), control), blobs),
    operations: withLargeOutcomes(
      createOperations({ journalTable, blocks: createOperationBlocks(journalTable) }),
      blobs,
    ),
    control,
    leases: createLeases(journalTable),
    events: createEvents(journalTable),
    catalog: withLargeLateOutcomes(createCatalog({ catalogTable, journalTable, random }), blobs),
    requests: createRequests({ catalogTable, random }),
    renames: createStackRenames({ catalogTable, journalTable, random }),
    documents: createDocuments({ table: catalogTable, random }),
    callLimits: createDocuments({ table: journalTable, random }),
    marks: createMarks({ catalogTable, random }),
    audit: createAudit({ catalogTable, random }),
    usage: createUsage(journalTable),
    retention: createRetention({ journalTable, catalogTable, random }),
  }
}
