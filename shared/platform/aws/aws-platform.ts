import { bucketPrefixes, keyPurpose } from '../../config/aws-resource-names.ts'
import type { AuditPort } from '../../ports/audit.ts'
import type { DocumentsPort, MarksPort, SealingPort } from '../../ports/documents.ts'
import type { NotificationsPort } from '../../ports/notifications.ts'
import type { PluginStorePort } from '../../ports/plugins.ts'
import type { QueueDepthsPort } from '../../ports/queue-depths.ts'
import type { Platform } from '../../ports/platform.ts'
import type { SchedulerPort } from '../../ports/scheduler.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { noTelemetry, type TelemetryPort } from '../../ports/telemetry.ts'
import type { UsagePort } from '../../ports/usage.ts'
import type { UploadsPort } from '../../ports/uploads.ts'
import { createSystemClock } from '../system/clock.ts'
import { createSystemRandom } from '../system/random.ts'
import { createBucketArchives } from './blobs/bucket-archives.ts'
import { createBlobSweep } from './blobs/blob-sweep.ts'
import { createBlobs } from './blobs/blobs.ts'
import { createPluginStore } from './blobs/plugin-store.ts'
import { createUploads } from './blobs/presigned-uploads.ts'
import { type AwsSettings, createS3Client, createSqsClient, dynamoSettingsOf } from './clients.ts'
import { createDynamoClient } from './dynamo/table/dynamo-client.ts'
import { createJournalHints } from './dynamo/hints.ts'
import type { CallScaler } from './call-scaler.ts'
import type { AwsResources } from './aws-resources.ts'
import { type AwsChainQueue, createChainQueue } from './queues/chain-queue.ts'
import { createNotifications } from './queues/notifications.ts'
import { type AwsNudges, createNudges } from './queues/nudges.ts'
import { createQueueDepths } from './queues/queue-depths.ts'
import { createRecords } from './records.ts'
import { createScheduler, createSchedulerClient } from './scheduler.ts'
import { createKmsSealing } from './kms-sealing.ts'

/**
 * All ports for records, blobs and queues on AWS. `chains` and `nudges` also convert the messages
 * of a function's event source.
 */
export interface AwsPlatform extends Platform {
  readonly chains: AwsChainQueue
  readonly nudges: AwsNudges
  readonly plugins: PluginStorePort
  readonly documents: DocumentsPort
  readonly marks: MarksPort
  readonly audit: AuditPort
  readonly usage: UsagePort
  readonly uploads: UploadsPort
  readonly close: () => void
}

/** Dependencies of a platform. */
export interface AwsPlatformDeps {
  readonly settings: AwsSettings
  readonly resources: AwsResources
  readonly logger: LoggerPort
  /** Traces and metrics. Absent: none. */
  readonly telemetry?: TelemetryPort
  /** Calls the scaler after a send to the long pool. Absent: this process sends nothing there. */
  readonly callScaler?: CallScaler
  /** The stack group that `resources` belong to. Absent: the default group. */
  readonly stackGroup?: string
}

/** The ports of the service for Pulumi's command line. `sealing` seals the data keys of stacks. */
export interface ServicePlatform extends AwsPlatform {
  readonly sealing: SealingPort
  readonly scheduler: SchedulerPort
}

/**
 * Creates the ports of the service for Pulumi's command line. Throws AWS_SETTINGS_INVALID with the
 * name of a missing variable.
 */
export function createServicePlatform(deps: AwsPlatformDeps): ServicePlatform {
  const { settings, resources } = deps
  const platform = createAwsPlatform(deps)
  const schedulerClient = createSchedulerClient(settings)
  return {
    ...platform,
    sealing: createKmsSealing(settings, resources.get('secretsKey'), keyPurpose.service),
    scheduler: createSchedulerPort(schedulerClient, deps),
    close: () => {
      platform.close()
      schedulerClient.destroy()
    },
  }
}

function createSchedulerPort(
  client: ReturnType<typeof createSchedulerClient>,
  { resources, stackGroup }: AwsPlatformDeps,
): SchedulerPort {
  return createScheduler(client, {
    group: resources.get('scheduleGroup'),
    role: resources.get('scheduleRole'),
    target: resources.get('scheduleFunction'),
    ...(stackGroup === undefined ? {} : { stackGroup }),
  })
}

/**
 * Creates the ports of `createAwsPlatform`, and also the ports for trigger secrets, schedules,
 * notifications and queue depths. Throws AWS_SETTINGS_INVALID with the name of a missing variable.
 */
export function createApiPlatform(deps: AwsPlatformDeps): AwsPlatform & {
  readonly sealing: SealingPort
  readonly scheduler: SchedulerPort
  readonly notifications: NotificationsPort
  readonly queueDepths: QueueDepthsPort
} {
  const { settings, resources, logger } = deps
  const sqs = createSqsClient(settings)
  const [url, deadLetterUrl] = [
    resources.get('notificationsQueue'),
    resources.get('notificationsDeadQueue'),
  ]
  const platform = createAwsPlatform(deps)
  const schedulerClient = createSchedulerClient(settings)
  const scheduler = createSchedulerPort(schedulerClient, deps)
  return {
    ...platform,
    sealing: createKmsSealing(settings, resources.get('secretsKey')),
    scheduler,
    queueDepths: createQueueDepths(sqs, [
      {
        queue: 'chains',
        url: resources.get('chainsQueue'),
        deadLetterUrl: resources.get('chainsDeadQueue'),
      },
      {
        queue: 'chains-long',
        url: resources.get('chainsLongQueue'),
        deadLetterUrl: resources.get('chainsLongDeadQueue'),
      },
      { queue: 'nudges', url: resources.get('nudgesQueue') },
      { queue: 'notifications', url, deadLetterUrl },
    ]),
    notifications: createNotifications({
      sqs,
      queue: { url, deadLetterUrl },
      clock: platform.clock,
      logger,
    }),
    close: () => {
      platform.close()
      sqs.destroy()
      schedulerClient.destroy()
    },
  }
}

/**
 * Creates the ports of an installation. Sends no request before a port is used. Throws
 * AWS_SETTINGS_INVALID with the name of a missing variable.
 */
export function createAwsPlatform(deps: AwsPlatformDeps): AwsPlatform {
  const { settings, resources, logger, callScaler } = deps
  const { region } = settings
  const clock = createSystemClock()
  const random = createSystemRandom()
  const [sqs, s3] = [createSqsClient(settings), createS3Client(settings)]
  const client = createDynamoClient(dynamoSettingsOf(settings))
  const bucket = { s3, bucket: resources.get('bucket'), prefix: bucketPrefixes.blobs }
  const pluginBucket = { ...bucket, prefix: bucketPrefixes.plugins }
  const blobs = createBlobs({ ...bucket, clock })
  const tables = { journal: resources.get('journalTable'), catalog: resources.get('catalogTable') }
  const journalTable = { client, clock, random, region, name: tables.journal }
  const chainQueues = {
    short: { url: resources.get('chainsQueue'), deadLetterUrl: resources.get('chainsDeadQueue') },
    long: {
      url: resources.get('chainsLongQueue'),
      deadLetterUrl: resources.get('chainsLongDeadQueue'),
    },
  }
  const nudgeUrls = {
    short: resources.get('nudgesQueue'),
    long: resources.get('nudgesLongQueue'),
  }
  return {
    ...createRecords({ client, clock, random, region, tables }, blobs),
    blobs,
    archives: createBucketArchives({ ...bucket, clock }),
    blobSweep: createBlobSweep(bucket),
    uploads: createUploads({ blobs: bucket, plugins: pluginBucket }),
    plugins: createPluginStore({ ...pluginBucket, clock }),
    chains: createChainQueue({
      sqs,
      queues: chainQueues,
      blobs,
      clock,
      logger,
      onLongPoolSend: async messages =>
        callScaler?.({ kind: 'sent', queue: 'chains-long', messages }),
    }),
    nudges: createNudges({
      sqs,
      url: nudgeUrls[resources.pool],
      urls: nudgeUrls,
      clock,
      logger,
      onLongPoolSend: async () => callScaler?.({ kind: 'sent', queue: 'nudges-long', messages: 1 }),
    }),
    hints: createJournalHints({ journalTable, clock, random, logger }),
    clock,
    random,
    logger,
    telemetry: deps.telemetry ?? noTelemetry,
    close: () => {
      for (const awsClient of [client, sqs, s3]) awsClient.destroy()
    },
  }
}
