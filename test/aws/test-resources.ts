import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, PutBucketVersioningCommand, type S3Client } from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { limits } from '../../shared/config/limits.ts'
import type { QueueUrls } from '../../shared/platform/aws/queues/receive-messages.ts'

/** Creates a queue and its dead-letter queue for one suite, as the infrastructure defines them. */
export async function createTestQueue(
  sqs: SQSClient,
  name: string,
  maxReceiveCount: number = limits.deliveriesMax,
): Promise<QueueUrls> {
  const uniqueName = `${name}-${randomUUID()}`
  const deadLetterUrl = await createQueue(sqs, `${uniqueName}-dead`, {})
  const attributesCommand = new GetQueueAttributesCommand({
    QueueUrl: deadLetterUrl,
    AttributeNames: ['QueueArn'],
  })
  const deadLetterTargetArn = (await sqs.send(attributesCommand)).Attributes?.QueueArn
  const policy = { deadLetterTargetArn, maxReceiveCount }
  return {
    deadLetterUrl,
    url: await createQueue(sqs, uniqueName, { RedrivePolicy: JSON.stringify(policy) }),
  }
}

/** Removes a queue and its dead-letter queue. */
export async function removeQueue(
  sqs: SQSClient,
  { url, deadLetterUrl }: QueueUrls,
): Promise<void> {
  for (const QueueUrl of [url, deadLetterUrl]) await sqs.send(new DeleteQueueCommand({ QueueUrl }))
}

/** Creates a bucket with versions, as the infrastructure defines it. */
export async function createTestBucket(s3: S3Client): Promise<string> {
  const bucket = `antichain-${randomUUID()}`
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }))
  return bucket
}

async function createQueue(
  sqs: SQSClient,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<string> {
  const command = new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes } })
  return (await sqs.send(command)).QueueUrl ?? ''
}
