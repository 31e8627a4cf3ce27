import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { GetObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { awsVariables, deadLetterQueueOf } from '../../shared/config/aws-resource-names.ts'
import {
  type AwsSettings,
  createS3Client,
  createSqsClient,
} from '../../shared/platform/aws/clients.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import type { LocalServices } from '../../infra/local-cloud/services.ts'

/** Bytes that a service stores. */
export interface StoredBytes {
  /** The service and the item, for messages. */
  readonly location: string
  readonly bytes: Buffer
}

/**
 * Returns all items of both tables, all object versions, and the first messages of each queue (see
 * `readMessages`).
 */
export async function listStoredBytes(
  settings: AwsSettings,
  services: LocalServices,
): Promise<readonly StoredBytes[]> {
  const [items, objects, messages] = await Promise.all([
    readItems(settings, services),
    readObjects(settings, services),
    readMessages(settings, services),
  ])
  return [...items, ...objects, ...messages]
}

async function readItems(
  settings: AwsSettings,
  services: LocalServices,
): Promise<readonly StoredBytes[]> {
  const { region, endpoints } = settings
  const client = createDynamoClient({ region, endpoint: endpoints.DYNAMODB ?? '' })
  const storedBytes: StoredBytes[] = []
  const tables = services.resourceVariables(['journalTable', 'catalogTable'], 'short')
  for (const TableName of Object.values(tables)) {
    let startKey: Record<string, never> | undefined
    do {
      const command = new ScanCommand({ TableName, ExclusiveStartKey: startKey })
      const { Items = [], LastEvaluatedKey } = await client.send(command)
      for (const item of Items) {
        const location = `DynamoDB ${TableName} ${item['pk']?.S} ${item['sk']?.S}`
        const bytes = Object.values(item).flatMap(({ B }) => (B === undefined ? [] : [B]))
        for (const buffer of [Buffer.from(JSON.stringify(item)), ...bytes.map(b => Buffer.from(b))])
          storedBytes.push({ location, bytes: buffer })
      }
      startKey = LastEvaluatedKey as typeof startKey
    } while (startKey !== undefined)
  }
  client.destroy()
  return storedBytes
}

async function readObjects(
  settings: AwsSettings,
  services: LocalServices,
): Promise<readonly StoredBytes[]> {
  const s3 = createS3Client(settings)
  const Bucket = services.resourceVariables(['bucket'], 'short')[awsVariables.bucket] ?? ''
  const { Versions = [], IsTruncated } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
  if (IsTruncated === true) throw new Error('more objects than one page')
  const storedBytes: StoredBytes[] = []
  for (const { Key, VersionId } of Versions) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }))
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
    storedBytes.push({ location: `S3 ${Key}`, bytes })
  }
  s3.destroy()
  return storedBytes
}

/**
 * Returns at most ten waiting messages and ten dead letters of each queue. They become visible
 * again after a second.
 */
async function readMessages(
  settings: AwsSettings,
  services: LocalServices,
): Promise<readonly StoredBytes[]> {
  const sqs = createSqsClient(settings)
  const storedBytes: StoredBytes[] = []
  for (const { url } of Object.values(services.queues))
    for (const QueueUrl of [url, deadLetterQueueOf(url)]) {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 1,
      })
      const { Messages = [] } = await sqs.send(command)
      for (const { Body = '' } of Messages)
        storedBytes.push({ location: `SQS ${QueueUrl}`, bytes: Buffer.from(Body) })
    }
  sqs.destroy()
  return storedBytes
}
