import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { ListTagsForResourceCommand, type SchedulerClient } from '@aws-sdk/client-scheduler'
import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import {
  awsTags,
  bucketOf,
  deadLettersOf,
  namesOf,
  queueNames,
} from '../../shared/config/aws-places.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import type { PlatformLook, QueueLook, TableLook, Where } from './platform-port.ts'

/** The clients that a look needs: each is asked by name, so that no stack need be read. */
export interface LookClients {
  readonly tables: Pick<DynamoDBClient, 'send'>
  readonly queues: Pick<SQSClient, 'send'>
  readonly objects: Pick<S3Client, 'send'>
  readonly schedules: Pick<SchedulerClient, 'send'>
}

/** What is there of an installation. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED. */
export async function lookAt(
  clients: LookClients,
  { installation, region }: Where,
  account: string,
): Promise<PlatformLook> {
  const names = namesOf(installation)
  const [tables, queues, bucket, tags] = await Promise.all([
    Promise.all([names.journalTable, names.catalogTable].map(name => tableOf(clients, name))),
    Promise.all(queueNames.map(name => queueOf(clients, names.queues[name]))),
    bucketLook(clients, bucketOf(installation, account, region)),
    tagsOf(clients, `${arnStart(region)}:${account}:schedule-group/${names.scheduleGroup}`),
  ])
  return {
    tables,
    queues,
    bucket,
    apiUrl: tags.get(awsTags.apiUrl),
    webhookUrl: tags.get(awsTags.webhookUrl),
  }
}

/** China and the government have partitions of their own, which names of regions tell. */
function arnStart(region: string): string {
  const partition = region.startsWith('cn-')
    ? 'aws-cn'
    : region.startsWith('us-gov-')
      ? 'aws-us-gov'
      : 'aws'
  return `arn:${partition}:scheduler:${region}`
}

async function tableOf({ tables }: LookClients, name: string): Promise<TableLook> {
  const found = await ifThere(() => tables.send(new DescribeTableCommand({ TableName: name })))
  return {
    name,
    status: found?.Table?.TableStatus,
    isProtected: found?.Table?.DeletionProtectionEnabled === true,
  }
}

async function queueOf(clients: LookClients, name: string): Promise<QueueLook> {
  const [live, dead] = await Promise.all([
    countsOf(clients, name),
    countsOf(clients, deadLettersOf(name)),
  ])
  if (live === undefined) return { name, counts: undefined }
  return { name, counts: { ...live, dead: (dead?.waiting ?? 0) + (dead?.held ?? 0) } }
}

async function countsOf(
  { queues }: LookClients,
  name: string,
): Promise<{ readonly waiting: number; readonly held: number } | undefined> {
  const about = await ifThere(() => queues.send(new GetQueueUrlCommand({ QueueName: name })))
  if (about === undefined) return undefined
  const found = await ifThere(() =>
    queues.send(
      new GetQueueAttributesCommand({
        QueueUrl: about.QueueUrl,
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesDelayed',
          'ApproximateNumberOfMessagesNotVisible',
        ],
      }),
    ),
  )
  const count = (name: string): number =>
    Number(Object.entries(found?.Attributes ?? {}).find(([key]) => key === name)?.[1] ?? 0)
  return {
    waiting: count('ApproximateNumberOfMessages') + count('ApproximateNumberOfMessagesDelayed'),
    held: count('ApproximateNumberOfMessagesNotVisible'),
  }
}

async function bucketLook({ objects }: LookClients, name: string): Promise<PlatformLook['bucket']> {
  const found = await ifThere(() => objects.send(new HeadBucketCommand({ Bucket: name })))
  return { name, isThere: found !== undefined }
}

async function tagsOf(
  { schedules }: LookClients,
  arn: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await ifThere(() =>
    schedules.send(new ListTagsForResourceCommand({ ResourceArn: arn })),
  )
  return new Map((found?.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']))
}

/** What services call that which is not there. */
const absent = new Set([
  'ResourceNotFoundException',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'NotFound',
  'NoSuchBucket',
])
const denied = /AccessDenied|NotAuthorized|UnauthorizedOperation/

async function ifThere<Found>(ask: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await ask()
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : ''
    if (absent.has(name)) return undefined
    if (denied.test(name) || statusOf(thrown) === 403)
      throw error('PLATFORM_PERMISSION_MISSING', messageOf(thrown), { cause: thrown })
    throw error('PLATFORM_FAILED', `AWS could not be asked: ${messageOf(thrown)}`, {
      cause: thrown,
      hint: 'Check the network and the region, and run the command again.',
    })
  }
}

const answered = z.object({ $metadata: z.object({ httpStatusCode: z.number() }) })

/** The status of a refusal: an answer to a HEAD request has no body that would name it. */
function statusOf(thrown: unknown): number | undefined {
  const read = answered.safeParse(thrown)
  return read.success ? read.data.$metadata.httpStatusCode : undefined
}
