import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { CreateKeyCommand } from '@aws-sdk/client-kms'
import { CreateBucketCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { CreateScheduleGroupCommand, DeleteScheduleGroupCommand } from '@aws-sdk/client-scheduler'
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import {
  bucketNameOf,
  deadLetterQueueOf,
  installationNamesOf,
  type QueueName,
  queueNames,
  roleNameOf,
} from '../../shared/config/aws-resource-names.ts'
import { deliveriesLimitOf } from '../../shared/config/queue-limits.ts'
import {
  type AwsSettings,
  createKmsClient,
  createS3Client,
  createSqsClient,
} from '../../shared/platform/aws/clients.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import { type TableId, tables } from '../../shared/platform/aws/dynamo/table-definitions.ts'
import { createSchedulerClient } from '../../shared/platform/aws/scheduler.ts'
import { createResourceVariables, type ResourceVariables } from '../resource-variables.ts'
import type { FunctionName } from '../function-row.ts'
import type { LocalResources } from './process-configurations.ts'
import { computeStreamsMax } from '../reserved-concurrency.ts'
import { defaultVisibilitySeconds } from '../visibility-timeouts.ts'

/** A queue for event sources and functions. */
export interface LocalQueue {
  readonly url: string
  readonly arn: string
}

/** The shared services of an installation's functions, in the emulators. */
export interface Services {
  readonly resourceVariables: ResourceVariables
  /** The resources that the template of the installation refers to. */
  readonly localResources: LocalResources
  readonly queues: Readonly<Record<QueueName, LocalQueue>>
  /** The group of the users' schedules. */
  readonly scheduleGroup: string
  /** Removes tables, queues and schedules. Bucket and key are gone when their emulators end. */
  readonly remove: () => Promise<void>
}

/** The account id of the emulators. */
const account = '000000000000'

/** Returns the ARN of a function in the local cloud. */
export function localArnOf(installation: string, region: string, name: FunctionName): string {
  return `arn:aws:lambda:${region}:${account}:function:${installation}-${name}`
}

/**
 * Creates tables, queues, bucket, key and schedule group of an installation, as the CDK app does.
 * Throws the SDK's errors unchanged, because they can only occur at the start of the cloud.
 */
export async function createServices(
  settings: AwsSettings,
  options: {
    readonly installation: string
    /** Maximum number of operations in flight that a generator runs itself. */
    readonly inlineMax: number
    readonly webhookUrl: string
    readonly serviceUrl: string
    /** Visibility timeouts that replace those of the infrastructure. */
    readonly visibilitySeconds?: Partial<Readonly<Record<QueueName, number>>>
  },
): Promise<Services> {
  const { region } = settings
  const { installation, inlineMax, webhookUrl, serviceUrl, visibilitySeconds = {} } = options
  const names = installationNamesOf(installation)
  const sqs = createSqsClient(settings)
  const [createdTables, queues, bucket, key, createdScheduleGroup] = await Promise.all([
    createTables(settings, { journal: names.journalTable, catalog: names.catalogTable }),
    createQueues(sqs, names.queues, { ...defaultVisibilitySeconds, ...visibilitySeconds }),
    createBucket(settings, bucketNameOf(installation, account, region)),
    createKey(settings),
    createScheduleGroup(settings, names.scheduleGroup),
  ])
  const resourceVariables = createResourceVariables({
    installation: () => installation,
    journalTable: () => names.journalTable,
    catalogTable: () => names.catalogTable,
    bucket: () => bucket,
    chainsQueue: () => queues.chains.url,
    chainsLongQueue: () => queues['chains-long'].url,
    chainsDeadQueue: () => deadLetterQueueOf(queues.chains.url),
    chainsLongDeadQueue: () => deadLetterQueueOf(queues['chains-long'].url),
    nudgesQueue: () => queues.nudges.url,
    nudgesLongQueue: () => queues['nudges-long'].url,
    notificationsQueue: () => queues.notifications.url,
    notificationsDeadQueue: () => deadLetterQueueOf(queues.notifications.url),
    secretsKey: () => key,
    scheduleGroup: () => names.scheduleGroup,
    scheduleRole: () =>
      `arn:aws:iam::${account}:role/${roleNameOf(installation, 'schedules', region)}`,
    scheduleFunction: () => localArnOf(installation, region, 'schedule'),
    compactionFunction: () => localArnOf(installation, region, 'compaction'),
    apiFunction: () => localArnOf(installation, region, 'api'),
    installerFunction: () => localArnOf(installation, region, 'installer'),
    streamsMax: () => String(computeStreamsMax({})),
    inlineMax: () => String(inlineMax),
    webhookUrl: () => webhookUrl,
    serviceUrl: () => serviceUrl,
  })
  const queueParentUrl = queues.chains.url.slice(0, queues.chains.url.lastIndexOf('/'))
  return {
    resourceVariables,
    localResources: {
      account,
      region,
      queueUrlOf: name => `${queueParentUrl}/${name}`,
      secretsKey: key,
    },
    queues,
    scheduleGroup: names.scheduleGroup,
    remove: async () => {
      await createdScheduleGroup.remove()
      const urls = Object.values(queues).flatMap(({ url }) => [url, deadLetterQueueOf(url)])
      await Promise.all(urls.map(QueueUrl => sqs.send(new DeleteQueueCommand({ QueueUrl }))))
      sqs.destroy()
      await createdTables.remove()
    },
  }
}

async function createTables(
  { region, endpoints }: AwsSettings,
  names: Readonly<Record<TableId, string>>,
): Promise<{ readonly remove: () => Promise<void> }> {
  const endpoint = endpoints.DYNAMODB
  const client = createDynamoClient({ region, ...(endpoint === undefined ? {} : { endpoint }) })
  const ids = Object.keys(tables) as TableId[]
  for (const id of ids) {
    const { partitionKey, sortKey } = tables[id]
    await client.send(
      new CreateTableCommand({
        TableName: names[id],
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [partitionKey, sortKey].map(name => ({
          AttributeName: name,
          AttributeType: 'S',
        })),
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
      }),
    )
  }
  return {
    remove: async () => {
      for (const id of ids) await client.send(new DeleteTableCommand({ TableName: names[id] }))
      client.destroy()
    },
  }
}

async function createQueues(
  sqs: SQSClient,
  names: Readonly<Record<QueueName, string>>,
  visibilitySeconds: Readonly<Record<QueueName, number>>,
): Promise<Readonly<Record<QueueName, LocalQueue>>> {
  const queueEntries = await Promise.all(
    queueNames.map(async name => {
      const deadLetterQueue = await createQueue(sqs, deadLetterQueueOf(names[name]), {})
      const redrive = {
        deadLetterTargetArn: deadLetterQueue.arn,
        maxReceiveCount: deliveriesLimitOf(name),
      }
      const queue = await createQueue(sqs, names[name], {
        VisibilityTimeout: String(visibilitySeconds[name]),
        RedrivePolicy: JSON.stringify(redrive),
      })
      return [name, queue] as const
    }),
  )
  return Object.fromEntries(queueEntries) as Record<QueueName, LocalQueue>
}

async function createQueue(
  sqs: SQSClient,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<LocalQueue> {
  const createCommand = new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes } })
  const { QueueUrl = '' } = await sqs.send(createCommand)
  const attributesCommand = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: ['QueueArn'],
  })
  return { url: QueueUrl, arn: (await sqs.send(attributesCommand)).Attributes?.QueueArn ?? '' }
}

async function createBucket(settings: AwsSettings, bucket: string): Promise<string> {
  const s3 = createS3Client(settings)
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }))
  s3.destroy()
  return bucket
}

async function createScheduleGroup(
  settings: AwsSettings,
  Name: string,
): Promise<{ readonly remove: () => Promise<void> }> {
  const client = createSchedulerClient(settings)
  await client.send(new CreateScheduleGroupCommand({ Name }))
  return {
    remove: async () => {
      await client.send(new DeleteScheduleGroupCommand({ Name }))
      client.destroy()
    },
  }
}

async function createKey(settings: AwsSettings): Promise<string> {
  const kms = createKmsClient(settings, settings.region)
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ Description: 'the local cloud' }))
  kms.destroy()
  return KeyMetadata?.Arn ?? ''
}
