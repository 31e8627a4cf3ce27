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
  groupInstallationOf,
  installationNamesOf,
  type QueueName,
  queueNames,
} from '../../shared/config/aws-resource-names.ts'
import type { StackGroup } from '../../shared/config/stack-groups.ts'
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
import type { ResourceVariables } from '../resource-variables.ts'
import { createEcsServices } from './ecs-services.ts'
import type { LocalResources } from './process-configurations.ts'
import { defaultVisibilitySeconds } from '../visibility-timeouts.ts'
import { createGroupVariables, localAccount } from './service-variables.ts'

/** A queue for event sources and functions. */
export interface LocalQueue {
  readonly url: string
  readonly arn: string
}

/** The services of one group of stacks, in the emulators. */
export interface GroupServices {
  readonly resourceVariables: ResourceVariables
  readonly queues: Readonly<Record<QueueName, LocalQueue>>
  /** The ARN of the key for secrets. */
  readonly secretsKey: string
}

/**
 * The services of an installation's functions, in the emulators. The fields of `GroupServices` are
 * the services of the default group.
 */
export interface LocalServices extends GroupServices {
  /** The resources that the template of the installation refers to. */
  readonly localResources: LocalResources
  /** The services of the other groups, by the name of the group. */
  readonly groups: ReadonlyMap<string, GroupServices>
  /** The name of the schedule group of EventBridge Scheduler with the users' schedules. */
  readonly scheduleGroup: string
  /**
   * Removes tables, queues, ECS services and schedules. Bucket and key are gone when their
   * emulators end.
   */
  readonly remove: () => Promise<void>
}

/** Returns the services of a group. Absent: the default group. */
export function servicesOfGroup(services: LocalServices, group: string | undefined): GroupServices {
  return (group === undefined ? undefined : services.groups.get(group)) ?? services
}

/** The options of the services of an installation. */
export interface ServicesOptions {
  readonly installation: string
  readonly groups: readonly StackGroup[]
  /** Maximum number of operations in flight that a generator runs itself. */
  readonly inlineMax: number
  /** The key for the secrets of the default group: `own` for a new one, or an existing ARN. */
  readonly secretsKey: string
  readonly webhookUrl: string
  readonly serviceUrl: string
  readonly apiUrl: string
  /** Visibility timeouts that replace those of the infrastructure. */
  readonly visibilitySeconds?: Partial<Readonly<Record<QueueName, number>>>
}

/**
 * Creates tables, queues, buckets, keys, ECS services and schedule group of an installation, as the
 * CDK app does. Throws the SDK's errors unchanged, because they can only occur at the start of the
 * cloud.
 */
export async function createServices(
  settings: AwsSettings,
  options: ServicesOptions,
): Promise<LocalServices> {
  const { region } = settings
  const { installation } = options
  const { scheduleGroup } = installationNamesOf(installation)
  const sqs = createSqsClient(settings)
  const { visibilitySeconds = {}, secretsKey } = options
  const createStores = (name: string, keySetting = 'own'): Promise<GroupStores> =>
    createGroupStores(settings, sqs, { name, visibilitySeconds, keySetting })
  const [createdScheduleGroup, commonStores, groupStores] = await Promise.all([
    createScheduleGroup(settings, scheduleGroup),
    createStores(installation, secretsKey),
    Promise.all(
      options.groups.map(({ name }) => createStores(groupInstallationOf(installation, name))),
    ),
  ])
  const stores = [commonStores, ...groupStores]
  const groupKeys = groupStores.map(({ key }) => key).join(',')
  const servicesOf = (group: GroupStores): GroupServices => ({
    resourceVariables: createGroupVariables(region, options, { group, groupKeys }),
    queues: group.queues,
    secretsKey: group.key,
  })
  const { url } = commonStores.queues.chains
  const queueParentUrl = url.slice(0, url.lastIndexOf('/'))
  return {
    ...servicesOf(commonStores),
    groups: new Map(
      groupStores.map(group => [group.name.slice(installation.length + 1), servicesOf(group)]),
    ),
    localResources: {
      account: localAccount,
      region,
      queueUrlOf: name => `${queueParentUrl}/${name}`,
      secretsKey: commonStores.key,
      groupKeys: new Map(stores.map(({ name, key }) => [name, key])),
    },
    scheduleGroup,
    remove: async () => {
      await createdScheduleGroup.remove()
      const urls = stores
        .flatMap(({ queues }) => Object.values(queues))
        .flatMap(queue => [queue.url, deadLetterQueueOf(queue.url)])
      await Promise.all(urls.map(QueueUrl => sqs.send(new DeleteQueueCommand({ QueueUrl }))))
      sqs.destroy()
      for (const { tables: createdTables, ecsServices } of stores) {
        await createdTables.remove()
        await ecsServices.remove()
      }
    },
  }
}

/** The created stores of one group. */
interface GroupStores {
  /** The prefix of the names of the resources. */
  readonly name: string
  readonly tables: { readonly remove: () => Promise<void> }
  readonly ecsServices: { readonly remove: () => Promise<void> }
  readonly queues: Readonly<Record<QueueName, LocalQueue>>
  readonly bucket: string
  readonly key: string
}

async function createGroupStores(
  settings: AwsSettings,
  sqs: SQSClient,
  group: {
    readonly name: string
    readonly visibilitySeconds: Partial<Readonly<Record<QueueName, number>>>
    /** `own` for a new key, or the ARN of an existing one. */
    readonly keySetting: string
  },
): Promise<GroupStores> {
  const { name, visibilitySeconds, keySetting } = group
  const names = installationNamesOf(name)
  const [createdTables, queues, bucket, key, ecsServices] = await Promise.all([
    createTables(settings, { journal: names.journalTable, catalog: names.catalogTable }),
    createQueues(sqs, names.queues, { ...defaultVisibilitySeconds, ...visibilitySeconds }),
    createBucket(settings, bucketNameOf(name, localAccount, settings.region)),
    keySetting === 'own' ? createKey(settings) : keySetting,
    createEcsServices(settings, name),
  ])
  return { name, tables: createdTables, queues, bucket, key, ecsServices }
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
  const kms = createKmsClient(settings, settings)
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ Description: 'the local cloud' }))
  kms.destroy()
  return KeyMetadata?.Arn ?? ''
}
