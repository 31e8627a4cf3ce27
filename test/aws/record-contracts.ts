import { defineAuditContract } from '../contract/audit.ts'
import { defineCatalogContract } from '../contract/catalog.ts'
import { defineControlContract, defineLeasesContract } from '../contract/control.ts'
import { defineDecisionLogContract } from '../contract/decision-log.ts'
import { defineDocumentsContract } from '../contract/documents.ts'
import { defineEventsContract } from '../contract/events.ts'
import { defineMarksContract } from '../contract/marks.ts'
import type { OpenAdapter } from '../contract/open-adapter.ts'
import { defineOperationModelContract } from '../contract/operation-model.ts'
import { defineOperationTransitionsContract } from '../contract/operation-transitions.ts'
import { defineOperationsContract } from '../contract/operations.ts'
import { defineRequestsContract } from '../contract/requests.ts'
import { defineRetentionContract } from '../contract/retention.ts'
import { defineStackRenamesContract } from '../contract/stack-renames.ts'
import { defineStopContract } from '../contract/stop.ts'
import { defineUsageContract } from '../contract/usage.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'

/** Runs the contract suites of all ports whose records are in DynamoDB. */
export function recordContracts(name: string, open: OpenAdapter<RecordPorts>): void {
  defineDecisionLogContract(name, open)
  defineOperationsContract(name, open)
  defineOperationTransitionsContract(name, open)
  defineOperationModelContract(name, open)
  defineControlContract(name, open)
  defineStopContract(name, open)
  defineLeasesContract(name, open)
  defineEventsContract(name, open)
  defineCatalogContract(name, open)
  defineRequestsContract(name, open)
  defineStackRenamesContract(name, open)
  defineRetentionContract(name, open)
  defineDocumentsContract(name, open)
  defineMarksContract(name, open)
  defineAuditContract(name, open)
  defineUsageContract(name, open)
}
