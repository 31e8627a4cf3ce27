import type { CatalogPort } from './catalog.ts'
import type { DocumentsPort } from './documents.ts'
import type { ChainQueuePort, HintsPort, NudgesPort } from './queue.ts'
import type {
  ArchivesPort,
  BlobsPort,
  ControlPort,
  DecisionLogPort,
  EventsPort,
  LeasesPort,
  OperationsPort,
} from './records.ts'
import type { RequestsPort } from './requests.ts'
import type { BlobSweepPort, RetentionPort } from './retention.ts'
import type { StackRenames } from './stack-renames.ts'
import type { ClockPort, LoggerPort, RandomPort } from './system.ts'
import type { TelemetryPort } from './telemetry.ts'

/**
 * The ports of one platform that deployments need. local/ and the functions pass them to the
 * handlers. Triggers and the audit log have ports of their own.
 */
export interface Platform {
  readonly decisionLog: DecisionLogPort
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly leases: LeasesPort
  readonly events: EventsPort
  readonly catalog: CatalogPort
  readonly blobs: BlobsPort
  readonly archives: ArchivesPort
  readonly requests: RequestsPort
  /** The records of limits of provider calls, documents of the kind `call-limit`. */
  readonly callLimits: DocumentsPort
  readonly renames: StackRenames
  readonly retention: RetentionPort
  readonly blobSweep: BlobSweepPort
  readonly chains: ChainQueuePort
  readonly nudges: NudgesPort
  readonly hints: HintsPort
  readonly clock: ClockPort
  readonly random: RandomPort
  readonly logger: LoggerPort
  readonly telemetry: TelemetryPort
  /**
   * Whether a snapshot is written even if only its time changed. Other clients of a self-managed
   * backend read the time of the last update from the snapshot. Absent: no.
   */
  readonly writesUnchangedSnapshots?: boolean
}
