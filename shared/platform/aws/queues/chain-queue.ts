import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import { limits } from '../../../config/limits.ts'
import { assert, messageOf } from '../../../errors/error.ts'
import type { ChainMessage, ChainQueuePort, Delivery } from '../../../ports/queue.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { Pool } from '../../../records/pool.ts'
import { withAwsErrors, errorNameOf } from '../aws-error.ts'
import { bodyBytesMax, encodeChainMessage, decodeChainMessage } from './chain-message-codec.ts'
import { createChainDeadLetters } from './chain-dead-letters.ts'
import {
  createVisibilityTimeouts,
  formatReceipt,
  isInvalidReceiptError,
  parseReceipt,
} from './delivery-receipts.ts'
import { queueNameOf, pollQueues, type QueueUrls, type RawMessage } from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'
import { requeueMessage } from './requeue-message.ts'
import { sendBodies } from './send-bodies.ts'

/** Dependencies of the chain queue. */
interface ChainQueueDeps {
  readonly sqs: SQSClient
  readonly queues: Readonly<Record<Pool, QueueUrls>>
  readonly blobs: BlobsPort
  readonly clock: ClockPort
  readonly logger: LoggerPort
  /** Visibility timeout of a delivery in ms, rounded up to whole seconds. */
  readonly visibilityMs?: number
  /** Maximum bytes of a body. A larger message is sent as a reference to a blob. */
  readonly bytesMax?: number
  /** Called with the number of messages sent to the long pool. Never rejects. */
  readonly onLongPoolSend?: (count: number) => Promise<void>
}

/** A delivery with its SQS message, which its receiver can requeue for another receiver. */
export interface AwsDelivery extends Delivery {
  readonly rawMessage: RawMessage
}

/** The chain queue, with the conversions for a function's event source. */
export interface AwsChainQueue extends ChainQueuePort {
  readonly receive: (
    ...parameters: Parameters<ChainQueuePort['receive']>
  ) => Promise<readonly AwsDelivery[]>
  /**
   * Converts a message of an event source to a delivery. Returns undefined for an unreadable
   * message, which the function must report as failed. The event source removes a message that the
   * function did not report as failed.
   */
  readonly fromEvent: (pool: Pool, raw: RawMessage) => Promise<AwsDelivery | undefined>
  /**
   * Sends the message again for another receiver, and removes the received one. See
   * `requeueMessage`.
   */
  readonly requeue: (pool: Pool, raw: RawMessage) => Promise<void>
}

/**
 * Creates the chain queue over two SQS standard queues, one per pool. Each queue has a dead-letter
 * queue, to which SQS moves a message after 5 deliveries (the redrive policy of the
 * infrastructure). After a lost response, a send may send its messages twice. SQS cannot select
 * messages, so a receive with a deployment or a delivery limit is refused. Instead, the generator
 * and the concurrency of the event source restrict how many operations are in delivery.
 */
export function createChainQueue(deps: ChainQueueDeps): AwsChainQueue {
  const { sqs, queues, blobs, clock, logger } = deps
  const { visibilityMs = limits.visibilityMs } = deps
  const timeouts = createVisibilityTimeouts(clock.monotonicMs)
  const toDelivery = async (
    pool: Pool,
    source: 'receive' | 'event',
    raw: RawMessage,
  ): Promise<AwsDelivery | undefined> => {
    const { id, handle, deliveries, sentAt } = raw
    const sentField = sentAt === undefined ? {} : { sentAt }
    try {
      const message = await decodeChainMessage(raw.body, blobs)?.readMessage()
      if (message !== undefined) {
        const receipt = formatReceipt({ pool, source, handle })
        if (source === 'receive') timeouts.track(receipt, visibilityMs)
        return { message, receipt, deliveries, rawMessage: raw, ...sentField }
      }
      // The message becomes a dead letter. Its body is not logged, because its sender is unknown.
      logger.write('error', 'message.unreadable', { id, deliveries })
    } catch (thrown) {
      // A message without its blob must not block others.
      logger.write('error', 'message.unreadable', { id, deliveries, why: messageOf(thrown) })
    }
    return undefined
  }
  return {
    send: async messages => {
      requireOperationLimit(messages)
      for (const pool of ['short', 'long'] as const) {
        const poolMessages = messages.filter(message => (message.pool ?? 'short') === pool)
        await sendToPool(deps, pool, poolMessages)
      }
    },
    receive: async (messagesMax, waitMs, { deployment, pool, signal, deliveryLimit } = {}) => {
      assert(
        deployment === undefined && deliveryLimit === undefined,
        'SQS cannot select messages: a receive must not have a deployment or delivery limit',
      )
      const polledQueues = (['short', 'long'] as const)
        .filter(queuePool => pool === undefined || queuePool === pool)
        .map(queuePool => ({ pool: queuePool, url: queues[queuePool].url }))
      const pollOptions = { messagesMax, waitMs, visibilityMs, signal }
      const polled = await pollQueues({ sqs, clock }, polledQueues, pollOptions)
      if (polled === undefined) return []
      const conversions = polled.messages.map(raw => toDelivery(polled.queue.pool, 'receive', raw))
      return (await Promise.all(conversions)).filter(delivery => delivery !== undefined)
    },
    remove: async receiptText => {
      const receipt = parseReceipt(receiptText)
      timeouts.forget(receiptText)
      if (receipt === undefined || receipt.source === 'event') return
      await removeMessage(sqs, queues[receipt.pool].url, receipt.handle)
    },
    extend: async (receiptText, ms) => {
      const receipt = parseReceipt(receiptText)
      if (receipt === undefined || timeouts.isExpired(receiptText)) return false
      const url = queues[receipt.pool].url
      const timeoutMs = Math.min(ms, awsLimits.visibilityTimeoutMaxMs)
      const isExtended = await extendVisibility(sqs, url, { handle: receipt.handle, timeoutMs })
      if (isExtended && receipt.source === 'receive') timeouts.track(receiptText, timeoutMs)
      return isExtended
    },
    ...createChainDeadLetters(deps),
    fromEvent: (pool, raw) => toDelivery(pool, 'event', raw),
    requeue: (pool, raw) => requeueInPool(deps, pool, raw),
  }
}

/** Sends messages to the queue of a pool. */
async function sendToPool(
  deps: ChainQueueDeps,
  pool: Pool,
  messages: readonly ChainMessage[],
): Promise<void> {
  const { blobs, queues, bytesMax = bodyBytesMax } = deps
  const encodings = messages.map(message => encodeChainMessage(message, blobs, bytesMax))
  const bodies = await Promise.all(encodings)
  const delaysMs = messages.map(({ delayMs = 0 }) => delayMs)
  await sendBodies(deps, queues[pool].url, bodies, delaysMs)
  if (pool === 'long' && bodies.length > 0) await deps.onLongPoolSend?.(bodies.length)
}

/** Sends a received message again to the queue of its pool. */
async function requeueInPool(deps: ChainQueueDeps, pool: Pool, raw: RawMessage): Promise<void> {
  await requeueMessage(deps.sqs, deps.queues[pool].url, raw)
  if (pool === 'long') await deps.onLongPoolSend?.(1)
}

function requireOperationLimit(messages: readonly ChainMessage[]): void {
  const { chainOperationsMax } = limits
  const isTooLong = messages.some(({ operations: { length } }) => length > chainOperationsMax)
  assert(!isTooLong, 'a chain message has more than 64 operations')
}

/** Sets the visibility timeout. Returns false when the receipt is no longer valid. */
async function extendVisibility(
  sqs: SQSClient,
  url: string,
  { handle, timeoutMs }: { readonly handle: string; readonly timeoutMs: number },
): Promise<boolean> {
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl: url,
    ReceiptHandle: handle,
    VisibilityTimeout: Math.ceil(timeoutMs / 1000),
  })
  return withAwsErrors(`queue ${queueNameOf(url)}: extend`, async () => {
    try {
      await sqs.send(command)
      return true
    } catch (thrown) {
      if (isInvalidReceiptError(errorNameOf(thrown))) return false
      throw thrown
    }
  })
}
