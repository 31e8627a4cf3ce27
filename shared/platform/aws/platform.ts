import { bucketPrefixes } from '../../config/aws-places.ts'
import type { AuditPort } from '../../ports/audit.ts'
import type { DocumentsPort, MarksPort, SealingPort } from '../../ports/documents.ts'
import type { NotificationsPort } from '../../ports/notifications.ts'
import type { PluginStorePort } from '../../ports/plugins.ts'
import type { Platform } from '../../ports/platform.ts'
import type { SchedulerPort } from '../../ports/scheduler.ts'
import type { LogPort } from '../../ports/system.ts'
import type { UploadsPort } from '../../ports/uploads.ts'
import { createSystemClock } from '../system/clock.ts'
import { createSystemRandom } from '../system/random.ts'
import { createBlobSweep } from './blobs/blob-sweep.ts'
import { createBlobs } from './blobs/blobs.ts'
import { createPluginStore } from './blobs/plugin-store.ts'
import { createUploads } from './blobs/uploads.ts'
import { type AwsSettings, createS3, createSqs } from './clients.ts'
import { createDynamoClient } from './dynamo/client.ts'
import { createJournalHints } from './dynamo/hints.ts'
import type { PutMetric } from './metrics.ts'
import type { AwsPlaces } from './places.ts'
import { type AwsChainQueue, createChainQueue } from './queues/chain-queue.ts'
import { createNotifications } from './queues/notifications.ts'
import { type AwsNudges, createNudges } from './queues/nudges.ts'
import { createRecords } from './records.ts'
import { createScheduler, createSchedulerClient } from './scheduler.ts'
import { createKmsSealing } from './sealing.ts'

/** Every port of records, blobs and queues over AWS, with what event sources hand over. */
export interface AwsPlatform extends Platform {
  readonly chains: AwsChainQueue
  readonly nudges: AwsNudges
  readonly plugins: PluginStorePort
  readonly documents: DocumentsPort
  readonly marks: MarksPort
  readonly audit: AuditPort
  readonly uploads: UploadsPort
  readonly close: () => void
}

/** What a platform is made of. */
export interface AwsPlatformAbout {
  readonly settings: AwsSettings
  readonly places: AwsPlaces
  readonly log: LogPort
  /** Told what is sent to the long pool; absent where nothing scales by it. */
  readonly metric?: PutMetric
}

/**
 * The same with what seals secrets of triggers, what calls when schedules are due, and what nobody
 * could be told. Throws
 * AWS_SETTINGS_INVALID.
 */
export function createApiPlatform(about: AwsPlatformAbout): AwsPlatform & {
  readonly sealing: SealingPort
  readonly scheduler: SchedulerPort
  readonly notifications: NotificationsPort
} {
  const { settings, places, log } = about
  const sqs = createSqs(settings)
  const [url, deadUrl] = [places.of('notificationsQueue'), places.of('notificationsDeadQueue')]
  const platform = createAwsPlatform(about)
  const client = createSchedulerClient(settings)
  const scheduler = createScheduler(client, {
    group: places.of('scheduleGroup'),
    role: places.of('scheduleRole'),
    target: places.of('scheduleFunction'),
  })
  return {
    ...platform,
    sealing: createKmsSealing(settings, places.of('key')),
    scheduler,
    notifications: createNotifications({
      sqs,
      queue: { url, deadUrl },
      clock: platform.clock,
      log,
    }),
    close: () => {
      platform.close()
      sqs.destroy()
      client.destroy()
    },
  }
}

/**
 * Makes the ports of an installation: nothing is asked before one of them is. Throws
 * AWS_SETTINGS_INVALID by the name of a variable that is not set.
 */
export function createAwsPlatform(about: AwsPlatformAbout): AwsPlatform {
  const { settings, places, log, metric } = about
  const { region, endpoints } = settings
  const clock = createSystemClock()
  const random = createSystemRandom()
  const [sqs, s3] = [createSqs(settings), createS3(settings)]
  const endpoint = endpoints.DYNAMODB
  const client = createDynamoClient({ region, ...(endpoint === undefined ? {} : { endpoint }) })
  const bucket = { s3, bucket: places.of('bucket'), prefix: bucketPrefixes.blobs }
  const pluginBucket = { ...bucket, prefix: bucketPrefixes.plugins }
  const blobs = createBlobs({ ...bucket, clock })
  const tables = { journal: places.of('journalTable'), catalog: places.of('catalogTable') }
  const journal = { client, clock, random, region, name: tables.journal }
  const queues = {
    short: { url: places.of('chainsQueue'), deadUrl: places.of('chainsDeadQueue') },
    long: { url: places.of('chainsLongQueue'), deadUrl: places.of('chainsLongDeadQueue') },
  }
  const urls = { short: places.of('nudgesQueue'), long: places.of('nudgesLongQueue') }
  return {
    ...createRecords({ client, clock, random, region, tables }, blobs),
    blobs,
    blobSweep: createBlobSweep(bucket),
    uploads: createUploads({ blobs: bucket, plugins: pluginBucket }),
    plugins: createPluginStore({ ...pluginBucket, clock }),
    chains: createChainQueue({
      ...{ sqs, queues, blobs, clock, log },
      sentLong: count => metric?.('longPoolWaiting', count, 'chains-long'),
    }),
    nudges: createNudges({
      ...{ sqs, url: urls[places.pool], urls, clock, log },
      sentLong: () => metric?.('longPoolWaiting', 1, 'nudges-long'),
    }),
    hints: createJournalHints({ journal, clock, random, log }),
    clock,
    random,
    journal: log,
    close: () => {
      for (const one of [client, sqs, s3]) one.destroy()
    },
  }
}
