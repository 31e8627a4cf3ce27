/**
 * embedded: every port on one machine, without a daemon: records in one SQLite database, blobs in
 * files, queues in memory. Imports ports and below, and the system's clock, chance and log.
 *
 * Invariants: 1. A call that changes something resolves after its commit reached the disk. 2. One
 * process at a time writes the database; others ask it over a socket, and one of them takes over
 * when it dies. 3. What the store was asked is repeated when its answer was lost, so every request
 * carries what makes its repetition known. 4. When the disk fails nothing is half written, the
 * caller gets STORE_UNAVAILABLE, and the store answers again once there is room.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AuditPort } from '../../ports/audit.ts'
import type { TriggerPorts } from '../../ports/documents.ts'
import type { NotificationsPort } from '../../ports/notifications.ts'
import type { Platform } from '../../ports/platform.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { StackId } from '../../records/ids.ts'
import { createSystemClock } from '../system/clock.ts'
import { silentLogger } from '../system/logger.ts'
import { createSystemRandom } from '../system/random.ts'
import { withLargeDecisions, withLargeLate, withLargeOutcomes } from '../records/large-records.ts'
import { withoutGaps } from '../records/gapless-log.ts'
import { createAudit } from './audit.ts'
import { createBlobs } from './blobs.ts'
import { createBlobSweep } from './blob-sweep.ts'
import { createCatalog } from './catalog.ts'
import { createChainQueue } from './chain-queue.ts'
import { createControl, createEvents, createLeases } from './control-and-leases.ts'
import { createDecisionLog } from './decision-log.ts'
import { createDocuments, createMarks } from './documents-and-marks.ts'
import { createHints } from './hints.ts'
import { createNotifications } from './notifications.ts'
import { createNudges } from './nudges.ts'
import { createOperations } from './operations.ts'
import { createStackRenames, type StackRenames } from './stack-renames.ts'
import { createRequests } from './requests.ts'
import { createRetention } from './retention.ts'
import { createKeyFileSealing } from './key-file-sealing.ts'
import { storeUnavailableError } from './store/store-errors.ts'
import { type Store, openStore } from './store/store.ts'

/** The embedded platform while it is open. */
export interface EmbeddedPlatform extends Platform, TriggerPorts {
  readonly notifications: NotificationsPort
  readonly audit: AuditPort
  readonly renames: StackRenames
  /** Whether this process owns the store now, or asks the one that does. */
  readonly getRole: () => 'owner' | 'client' | 'none'
  /** Waits for what was asked of the store, then gives it up; another process may own it then. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** How the embedded platform is opened. */
export interface EmbeddedOptions {
  /** The folder of everything that is kept; made when absent. */
  readonly home: string
  /** Where log lines go; nowhere by default. */
  readonly logger?: LoggerPort
  /** At the first receive, nudge the stacks that were left running: for `antichain serve`. */
  readonly resume?: boolean
  /** Limits the database to so many pages of 4 KB. */
  readonly storePagesMax?: number
}

/** Opens the platform in `home`. Throws STORE_UNAVAILABLE and STORE_TOO_NEW. */
export async function openEmbeddedPlatform(options: EmbeddedOptions): Promise<EmbeddedPlatform> {
  const home = resolve(options.home)
  const logger = options.logger ?? silentLogger
  const pagesMax = options.storePagesMax
  const store = await openStore({ home, logger, ...(pagesMax === undefined ? {} : { pagesMax }) })
  return createEmbeddedPlatform(store, { ...options, home, logger })
}

/** The ports over a store that is open. Throws STORE_UNAVAILABLE when blobs have no folder. */
export function createEmbeddedPlatform(
  store: Store,
  options: EmbeddedOptions & { readonly logger: LoggerPort },
): EmbeddedPlatform {
  const clock = createSystemClock()
  const random = createSystemRandom()
  const { logger } = options
  const folder = prepareBlobFolder(options.home)
  const blobs = createBlobs(folder)
  const catalog = withLargeLate(createCatalog(store.call, random), blobs)
  const chains = createChainQueue({ store, clock, random })
  const listUnfinishedStacks = async (): Promise<readonly StackId[]> =>
    (await catalog.listStacks()).stacks.filter(stack => stack.current !== '').map(stack => stack.id)
  const nudges = createNudges({
    clock,
    store,
    ...(options.resume === true ? { scan: listUnfinishedStacks } : {}),
  })
  const close = async (): Promise<void> => {
    chains.close()
    nudges.close()
    await store.close()
  }
  const control = createControl(store.call, random)
  return {
    decisionLog: withLargeDecisions(withoutGaps(createDecisionLog(store.call), control), blobs),
    operations: withLargeOutcomes(createOperations(store.call), blobs),
    control,
    leases: createLeases(store.call),
    events: createEvents(store.call),
    catalog,
    blobs,
    requests: createRequests(store.call),
    retention: createRetention(store.call),
    blobSweep: createBlobSweep(folder),
    chains,
    nudges,
    hints: createHints(logger, store),
    documents: createDocuments(store.call, random),
    marks: createMarks(store.call, { random, clock }),
    audit: createAudit(store.call),
    renames: createStackRenames(store.call, random),
    sealing: createKeyFileSealing(options.home),
    notifications: createNotifications({ clock, random }),
    clock,
    random,
    logger,
    getRole: store.getRole,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function prepareBlobFolder(home: string): string {
  const folder = join(home, 'blobs')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw storeUnavailableError(folder, thrown)
  }
  return folder
}
