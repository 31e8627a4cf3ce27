import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { ListTagsForResourceCommand, type SchedulerClient } from '@aws-sdk/client-scheduler'
import { GetQueueUrlCommand, ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import {
  awsTags,
  bucketNameOf,
  deadLetterQueueOf,
  groupInstallationOf,
  installationNamesOf,
  queueNames,
} from '../../shared/config/aws-resource-names.ts'
import { hasCode } from '../../shared/errors/error.ts'
import { readQueueCounts } from '../../shared/platform/aws/queues/queue-depths.ts'
import type {
  GroupStatus,
  InstallationStatus,
  QueueStatus,
  TableStatus,
  InstallationTarget,
} from './platform-port.ts'
import { sendOrUndefined } from './send-or-undefined.ts'

/**
 * The clients of an inspection. Each resource is requested by its name or the beginning of it, so
 * no CloudFormation stack is read.
 */
export interface InspectionClients {
  readonly tables: Pick<DynamoDBClient, 'send'>
  readonly queues: Pick<SQSClient, 'send'>
  readonly objects: Pick<S3Client, 'send'>
  readonly schedules: Pick<SchedulerClient, 'send'>
}

/**
 * Returns the status of each resource of an installation, including missing ones. Throws
 * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function inspectInstallation(
  clients: InspectionClients,
  { installation, region }: InstallationTarget,
  account: string,
): Promise<InstallationStatus> {
  const { scheduleGroup } = installationNamesOf(installation)
  const inspectStores = (name: string): Promise<GroupStatus> =>
    inspectGroup(clients, name, bucketNameOf(name, account, region))
  const [defaultGroup, tags] = await Promise.all([
    inspectStores(installation),
    // The deployment of an installation stores its addresses and groups in tags of the schedule
    // group.
    readTags(clients, `${arnPrefixOf(region)}:${account}:schedule-group/${scheduleGroup}`),
  ])
  const groupNames = await readGroupNames(clients, installation, tags)
  const groups = await Promise.all(
    (groupNames ?? []).map(
      async name => [name, await inspectStores(groupInstallationOf(installation, name))] as const,
    ),
  )
  return {
    ...defaultGroup,
    groups: Object.fromEntries(groups),
    ...(groupNames === undefined ? { areGroupsUnknown: true } : {}),
    apiUrl: tags.get(awsTags.apiUrl),
    serviceUrl: tags.get(awsTags.serviceUrl),
    webhookUrl: tags.get(awsTags.webhookUrl),
  }
}

/**
 * Returns the names of the groups besides the default one. They are in a tag of the installation.
 * An older version left no such tag, so the names of the queues then show the groups. Returns
 * undefined if the tag is missing and the caller may not list queues. Throws
 * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
async function readGroupNames(
  { queues }: InspectionClients,
  installation: string,
  tags: ReadonlyMap<string, string>,
): Promise<readonly string[] | undefined> {
  const tag = tags.get(awsTags.groups)
  if (tag !== undefined) return tag.split(' ').filter(name => name !== '')
  // Without any tag, there is no deployed installation.
  if (tags.size === 0) return []
  const prefix = groupInstallationOf(installation, '')
  const request = { QueueNamePrefix: prefix, MaxResults: 1_000 }
  try {
    const response = await sendOrUndefined(() => queues.send(new ListQueuesCommand(request)))
    return (response?.QueueUrls ?? []).flatMap(url => {
      const name = url.slice(url.lastIndexOf('/') + 1 + prefix.length)
      const suffix = installationNamesOf('').queues.chains
      return name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : []
    })
  } catch (thrown) {
    if (hasCode(thrown, 'PLATFORM_PERMISSION_MISSING')) return undefined
    throw thrown
  }
}

/** Returns the status of the tables, the queues and the bucket of a group. */
async function inspectGroup(
  clients: InspectionClients,
  groupInstallation: string,
  bucketName: string,
): Promise<GroupStatus> {
  const names = installationNamesOf(groupInstallation)
  const [tables, queues, bucket] = await Promise.all([
    Promise.all([names.journalTable, names.catalogTable].map(name => inspectTable(clients, name))),
    Promise.all(queueNames.map(name => inspectQueue(clients, names.queues[name]))),
    inspectBucket(clients, bucketName),
  ])
  return { tables, queues, bucket }
}

/**
 * Returns the ARN prefix of the scheduler in a region. Regions in China and of the US government
 * are in other partitions.
 */
function arnPrefixOf(region: string): string {
  const partition = region.startsWith('cn-')
    ? 'aws-cn'
    : region.startsWith('us-gov-')
      ? 'aws-us-gov'
      : 'aws'
  return `arn:${partition}:scheduler:${region}`
}

async function inspectTable({ tables }: InspectionClients, name: string): Promise<TableStatus> {
  const response = await sendOrUndefined(() =>
    tables.send(new DescribeTableCommand({ TableName: name })),
  )
  return {
    name,
    status: response?.Table?.TableStatus,
    isProtected: response?.Table?.DeletionProtectionEnabled === true,
    // DynamoDB omits this description if it encrypts the table with its default key.
    hasOwnKey: response?.Table?.SSEDescription?.KMSMasterKeyArn !== undefined,
  }
}

async function inspectQueue(clients: InspectionClients, name: string): Promise<QueueStatus> {
  const [liveCounts, deadCounts] = await Promise.all([
    readCounts(clients, name),
    readCounts(clients, deadLetterQueueOf(name)),
  ])
  if (liveCounts === undefined) return { name, counts: undefined }
  const dead = (deadCounts?.waiting ?? 0) + (deadCounts?.held ?? 0)
  return { name, counts: { ...liveCounts, dead } }
}

async function readCounts(
  { queues }: InspectionClients,
  name: string,
): Promise<{ readonly waiting: number; readonly held: number } | undefined> {
  const queue = await sendOrUndefined(() =>
    queues.send(new GetQueueUrlCommand({ QueueName: name })),
  )
  if (queue === undefined) return undefined
  const counts = await sendOrUndefined(() => readQueueCounts(queues, queue.QueueUrl))
  return counts ?? { waiting: 0, held: 0 }
}

async function inspectBucket(
  { objects }: InspectionClients,
  name: string,
): Promise<InstallationStatus['bucket']> {
  const response = await sendOrUndefined(() =>
    objects.send(new HeadBucketCommand({ Bucket: name })),
  )
  return { name, isThere: response !== undefined }
}

async function readTags(
  { schedules }: InspectionClients,
  arn: string,
): Promise<ReadonlyMap<string, string>> {
  const response = await sendOrUndefined(() =>
    schedules.send(new ListTagsForResourceCommand({ ResourceArn: arn })),
  )
  return new Map((response?.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']))
}
