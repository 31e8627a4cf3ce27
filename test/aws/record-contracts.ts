import { auditContract } from '../contract/audit.ts'
import { catalogContract } from '../contract/catalog.ts'
import { controlContract, leasesContract } from '../contract/control.ts'
import { decisionLogContract } from '../contract/decision-log.ts'
import { documentsContract } from '../contract/documents.ts'
import { eventsContract } from '../contract/events.ts'
import { marksContract } from '../contract/marks.ts'
import type { OpenAdapter } from '../contract/open-adapter.ts'
import { operationModelContract } from '../contract/operation-model.ts'
import { operationTransitionsContract } from '../contract/operation-transitions.ts'
import { operationsContract } from '../contract/operations.ts'
import { requestsContract } from '../contract/requests.ts'
import { retentionContract } from '../contract/retention.ts'
import { stackRenamesContract } from '../contract/stack-renames.ts'
import { stopContract } from '../contract/stop.ts'
import { usageContract } from '../contract/usage.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'

/** Runs the contract suites of all ports whose records are in DynamoDB. */
export function recordContracts(name: string, open: OpenAdapter<RecordPorts>): void {
  decisionLogContract(name, open)
  operationsContract(name, open)
  operationTransitionsContract(name, open)
  operationModelContract(name, open)
  controlContract(name, open)
  stopContract(name, open)
  leasesContract(name, open)
  eventsContract(name, open)
  catalogContract(name, open)
  requestsContract(name, open)
  stackRenamesContract(name, open)
  retentionContract(name, open)
  documentsContract(name, open)
  marksContract(name, open)
  auditContract(name, open)
  usageContract(name, open)
}
