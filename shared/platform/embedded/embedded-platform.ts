/**
 * embedded: all ports on one machine, without a daemon. Records are in one SQLite database, blobs
 * in files, queues in memory. Imports ports and below, platform/records, and the system's clock,
 * random numbers and log.
 *
 * Invariants: 1. A call that changes a record resolves after its commit has reached the disk. 2.
 * One process at a time owns the database. All other processes call the owner over a socket. When
 * the owner dies, another process becomes the owner. 3. A request is repeated when its response was
 * lost, and the store recognizes every repetition. 4. When the disk is full, no record is written
 * partially and the caller gets STORE_UNAVAILABLE. The store works again once there is space.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AuditPort } from '../../ports/audit.ts'
import type { TriggerPorts } from '../../ports/documents.ts'
import type { NotificationsPort } from '../../ports/notifications.ts'
import type { Platform } from '../../ports/platform.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { noTelemetry, type TelemetryPort } from '../../ports/telemetry.ts'
import type { StackId } from '../../records/ids.ts'
import { createSystemClock } from '../system/clock.ts'
import { silentLogger } from '../system/logger.ts'
import { createSystemRandom } from '../system/random.ts'
import {
  withLargeDecisions,
  withLargeLateOutcomes,
  withLargeOutcomes,
} from '../records/large-records.ts'
import { createArchives } from '../records/archives.ts'
import { withGapCheck } from '../records/gap-check.ts'
import { createAudit } from './audit.ts'
import { createBlobs, readContentHash } from './blobs.ts'
import { createBlobSweep } from './blob-sweep.ts'
import { createCatalog } from './catalog.ts'
import { createChainQueue } from './chain-queue.ts'
import { createControl, createLeases } from './control-and-leases.ts'
import { createDecisionLog } from './decision-log.ts'
import { createDocuments, createMarks } from './documents-and-marks.ts'
import { createEvents } from './events.ts'
import { createJournalCopies, type JournalCopies } from './journal-copies.ts'
import { createHints } from './hints.ts'
import { createNotifications } from './notifications.ts'
import { createNudges } from './nudges.ts'
import { createOperations } from './operations.ts'
import { createStackRenames } from './stack-renames.ts'
import { createRequests } from './requests.ts'
import { createRetention } from './retention.ts'
import { createKeyFileSealing } from './key-file-sealing.ts'
import type { SendParts } from './store/commit-queue.ts'
import { createStoreUnavailableError } from './store/store-errors.ts'
import { type Store, openStore } from './store/store.ts'

/** The open embedded platform. */
export interface EmbeddedPlatform extends Platform, TriggerPorts {
  readonly notifications: NotificationsPort
  readonly audit: AuditPort
  readonly journalCopies: JournalCopies
  /**
   * Returns the age in ms of the oldest message of the chain queue that no executor has. The age
   * begins after the delay of the message, or after the timeout of its last delivery. Returns 0
   * without such a message.
   */
  readonly readOldestChainAgeMs: () => Promise<number>
  /**
   * Returns the role of this process: the owner of the store, or a client of the owner. `none`:
   * this process is not connected.
   */
  readonly getRole: () => 'owner' | 'client' | 'none'
  /** Starts to connect to the store, for a command that will write. */
  readonly startConnecting: () => void
  /** Waits for pending requests, then closes the store. Another process may then own it. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Options of the embedded platform. */
export interface EmbeddedOptions {
  /** The folder of all stored data. It is created when absent. */
  readonly home: string
  /** The logger. Default: no output. */
  readonly logger?: LoggerPort
  /** Traces and metrics. Default: none. */
  readonly telemetry?: TelemetryPort
  /**
   * Whether the first call of `nudges.receive` adds a nudge for each stack with an unfinished
   * deployment.
   */
  readonly nudgeUnfinished?: boolean
  /** Whether the process connects to the store late: at its first request that is not a read. */
  readonly connectsLate?: boolean
  /** Maximum size of the database, in pages of 4 KB. */
  readonly storePagesMax?: number
  /** Sends parts of journal copies to a backend. Absent: the writes are not copied. */
  readonly sendParts?: SendParts
}

/** Opens the platform in `home`. Throws STORE_UNAVAILABLE and STORE_TOO_NEW. */
export async function openEmbeddedPlatform(options: EmbeddedOptions): Promise<EmbeddedPlatform> {
  const home = resolve(options.home)
  const logger = options.logger ?? silentLogger
  const { storePagesMax: pagesMax, sendParts, connectsLate = false } = options
  const store = await openStore({
    home,
    logger,
    connectsLate,
    ...(pagesMax === undefined ? {} : { pagesMax }),
    ...(sendParts === undefined ? {} : { sendParts }),
  })
  return createEmbeddedPlatform(store, { ...options, home, logger })
}

/**
 * Creates the ports over an open store. Throws STORE_UNAVAILABLE when the folder for blobs cannot
 * be created.
 */
export function createEmbeddedPlatform(
  store: Store,
  options: EmbeddedOptions & { readonly logger: LoggerPort },
): EmbeddedPlatform {
  const clock = createSystemClock()
  const random = createSystemRandom()
  const { logger } = options
  const folder = prepareBlobFolder(options.home)
  const blobs = createBlobs(folder)
  const archives = createArchives(
    nameOf => createBlobs(folder, nameOf),
    name => readContentHash(folder, name),
  )
  const catalog = withLargeLateOutcomes(createCatalog(store.call, random), blobs)
  const chains = createChainQueue({ store, clock, random })
  const listUnfinishedStacks = async (): Promise<readonly StackId[]> =>
    (await catalog.listStacks()).stacks.filter(stack => stack.current !== '').map(stack => stack.id)
  const nudges = createNudges({
    clock,
    store,
    ...(options.nudgeUnfinished === true ? { listUnfinishedStacks } : {}),
  })
  const close = async (): Promise<void> => {
    chains.close()
    nudges.close()
    await store.close()
  }
  const control = createControl(store.call, random)
  const documents = createDocuments(store.call, { random, clock })
  return {
    decisionLog: withLargeDecisions(withGapCheck(createDecisionLog(store.call), control), blobs),
    operations: withLargeOutcomes(createOperations(store.call), blobs),
    control,
    leases: createLeases(store.call),
    events: createEvents(store.call),
    catalog,
    blobs,
    archives,
    requests: createRequests(store.call),
    retention: createRetention(store.call),
    blobSweep: createBlobSweep(folder),
    chains,
    readOldestChainAgeMs: () => store.call('chains.oldest', {}),
    nudges,
    hints: createHints(logger, store),
    documents,
    callLimits: documents,
    marks: createMarks(store.call, { random, clock }),
    audit: createAudit(store.call),
    journalCopies: createJournalCopies(store.call),
    renames: createStackRenames(store.call, random),
    sealing: createKeyFileSealing(options.home),
    notifications: createNotifications({ clock, random }),
    clock,
    random,
    logger,
    telemetry: options.telemetry ?? noTelemetry,
    getRole: store.getRole,
    startConnecting: store.startConnecting,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function prepareBlobFolder(home: string): string {
  const folder = join(home, 'blobs')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw createStoreUnavailableError(folder, thrown)
  }
  return folder
}
