import type { S3Client } from '@aws-sdk/client-s3'
import type { SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { createChainQueue } from '../../shared/platform/aws/queues/chain-queue.ts'
import { createNudges } from '../../shared/platform/aws/queues/nudges.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import type { SendEffect } from './send-effect.ts'
import { createAwsRecords } from './aws-records.ts'
import { type AwsServices, chainUrls, nudgesUrl } from './aws-services.ts'
import type { ModelBucket } from './model-bucket.ts'
import type { ModelQueues } from './model-queues.ts'
import type { SimNode } from './node.ts'
import type { World } from './world.ts'

/** Creates the ports of a process over the AWS adapters. Each request is an effect. */
export function createAwsPorts(
  world: World,
  services: AwsServices,
  { sendEffect, node }: { readonly sendEffect: SendEffect; readonly node: SimNode },
): Partial<Platform> {
  const { clock } = node
  const sqs = createSqsClient(world, services.queues, sendEffect)
  const s3 = createS3Client(world, services.bucket, sendEffect)
  const blobs = createBlobs({ s3, bucket: 'b', prefix: 'blobs/', clock })
  const chains = createChainQueue({ sqs, queues: chainUrls, blobs, clock, logger: silentLogger })
  const nudges = createNudges({ sqs, url: nudgesUrl, clock, logger: silentLogger })
  return {
    ...createAwsRecords(world, services, { sendEffect, node, blobs }),
    blobs,
    chains: { ...chains, receive: (...args) => receiveOwn(chains, ...args) },
    nudges: {
      nudge: nudges.nudge,
      // A simulated world has a single stack, so the requested stack is ignored.
      receive: (waitMs, { signal } = {}) =>
        nudges.receive(waitMs, signal === undefined ? {} : { signal }),
    },
  }
}

/**
 * Receives the messages of one deployment, or all messages if no deployment is given. SQS cannot
 * filter messages: a message of another deployment becomes visible again after one second.
 */
async function receiveOwn(
  chains: ChainQueuePort,
  max: number,
  waitMs: number,
  options: Parameters<ChainQueuePort['receive']>[2] = {},
): ReturnType<ChainQueuePort['receive']> {
  const { deployment, deliveryLimit: _, ...receiveOptions } = options
  const deliveries = await chains.receive(max, waitMs, receiveOptions)
  const isOwn = (messageDeployment: string): boolean =>
    deployment === undefined || messageDeployment === deployment
  for (const { message, receipt } of deliveries)
    if (!isOwn(message.deployment)) await chains.extend(receipt, 1_000)
  return deliveries.filter(({ message }) => isOwn(message.deployment))
}

/**
 * Creates an SQS client whose requests are subject to faults. An abort rejects the promise of the
 * caller, but does not cancel the request.
 */
function createSqsClient(world: World, queues: ModelQueues, sendEffect: SendEffect): SQSClient {
  const nameOf = (command: string, url: string): string => {
    if (url === nudgesUrl) return command === 'SendMessage' ? 'nudges.nudge' : 'nudges.receive'
    const isDead = url.endsWith('-dead')
    const names: Readonly<Record<string, string>> = {
      SendMessageBatch: 'chains.send',
      ReceiveMessage: isDead ? 'chains.list' : 'chains.receive',
      DeleteMessage: 'chains.remove',
      DeleteMessageBatch: 'chains.redrive',
      ChangeMessageVisibility: 'chains.extend',
      ChangeMessageVisibilityBatch: 'chains.list',
    }
    return names[command] ?? 'chains.send'
  }
  const send = (
    command: { readonly input: object },
    { abortSignal: signal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<unknown> => {
    const { QueueUrl = '' } = command.input as { readonly QueueUrl?: string }
    const name = nameOf(command.constructor.name.replace('Command', ''), QueueUrl)
    if (name === 'chains.send' || name === 'nudges.nudge')
      world.observer.onTextStored(JSON.stringify(command.input))
    const effect = sendEffect(name, async (_call, kind) => {
      if (kind === 'message before its time') await queues.send(createEarlyRequest(command))
      return queues.send(command)
    })
    // The fault layer returns no response for a lost message, so an empty one is used.
    const response = effect.then(answer => (answer as object | undefined) ?? {})
    if (signal === undefined) return response
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }))
      if (signal.aborted) giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      response.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
    })
  }
  return { send } as unknown as SQSClient
}

/**
 * Returns a copy of a request with every operation id increased by 1. Its messages name operations
 * that may not be ready.
 */
function createEarlyRequest(command: { readonly input: object }): { readonly input: object } {
  const input = command.input as SendMessageBatchCommandInput
  const Entries = (input.Entries ?? []).map(({ Id, MessageBody = '{}' }) => {
    const { operations = [], ...rest } = JSON.parse(MessageBody) as {
      readonly operations?: readonly number[]
    }
    return {
      Id,
      MessageBody: JSON.stringify({ ...rest, operations: operations.map(id => id + 1) }),
    }
  })
  const copy = Object.create(Object.getPrototypeOf(command) as object) as object
  return Object.assign(copy, { input: { ...input, Entries } })
}

/** Creates an S3 client. Each stored object is also put into the store that the checks read. */
function createS3Client(world: World, { client }: ModelBucket, sendEffect: SendEffect): S3Client {
  const send = (command: { readonly input: object }): Promise<unknown> => {
    const isPut = command.constructor.name === 'PutObjectCommand'
    const { Body } = command.input as { readonly Body?: Uint8Array }
    return sendEffect(isPut ? 'blobs.put' : 'blobs.get', async () => {
      const answer: unknown = await client.send(command as never)
      if (isPut && Body !== undefined) world.store.blobs.put(Uint8Array.from(Body))
      return answer
    })
  }
  return { send } as unknown as S3Client
}
