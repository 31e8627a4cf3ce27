/**
 * aws: every port on AWS. Records are in DynamoDB, in `dynamo/`: each record is one item, each
 * write of the hot path one request on one item. Imports ports and below.
 *
 * Invariants: 1. Conditions are checked by the store; those of heads are made from the table of
 * transitions. 2. Reads are strongly consistent, except where what is found can only have been
 * true. 3. A write whose reply is lost is repeated, so whoever is refused looks whether what
 * stands is its own. 4. Nothing is scanned: what must be found is listed first.
 * 5. What may pass is repeated a bounded number of times; what cannot work is not repeated.
 */
import type { AuditPort } from '../../ports/audit.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { TriggerPorts } from '../../ports/documents.ts'
import type { Platform } from '../../ports/platform.ts'
import type { RandomPort } from '../../ports/system.ts'
import { withLargeDecisions, withLargeLate, withLargeOutcomes } from '../records/large-records.ts'
import { withoutGaps } from '../records/gapless-log.ts'
import { createAudit } from './dynamo/audit.ts'
import { createBlocks } from './dynamo/operation-blocks.ts'
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
> &
  Pick<TriggerPorts, 'documents' | 'marks'> & { readonly audit: AuditPort }

/** Records in two tables; those that an item cannot hold are blobs. */
export function createRecords(
  deps: DynamoDeps & { readonly random: RandomPort; readonly tables: TableNames },
  blobs: BlobsPort,
): RecordPorts {
  const { random, tables, client, clock, region } = deps
  const shared = { client, clock, random, region }
  const journalTable = { ...shared, name: tables.journal }
  const catalogTable = { ...shared, name: tables.catalog }
  const control = createControl(journalTable, random)
  return {
    decisionLog: withLargeDecisions(withoutGaps(createDecisionLog(journalTable), control), blobs),
    operations: withLargeOutcomes(
      createOperations({ journalTable, blocks: createBlocks(journalTable) }),
      blobs,
    ),
    control,
    leases: createLeases(journalTable),
    events: createEvents(journalTable),
    catalog: withLargeLate(createCatalog({ catalogTable, journalTable, random }), blobs),
    requests: createRequests({ catalogTable, random }),
    documents: createDocuments({ catalogTable, random }),
    marks: createMarks({ catalogTable, random }),
    audit: createAudit({ catalogTable, random }),
    retention: createRetention({ journalTable, catalogTable }),
  }
}
