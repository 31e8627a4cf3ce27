import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import type { CallOptions, InvocationOutcome } from './environment.ts'
import type { LocalQueue } from './services.ts'

/** The options of an event source. */
export interface EventSourceOptions {
  readonly sqs: SQSClient
  readonly queue: LocalQueue
  readonly region: string
  readonly batchSize: number
  /** Maximum number of concurrent calls. */
  readonly concurrencyMax: number
  readonly invoke: (event: unknown, call: CallOptions) => Promise<InvocationOutcome>
  /** Receives the text of an error, for users. */
  readonly onFailure: (reason: string) => void
}

/** A poller of a queue, which calls a function with batches of messages until it is ended. */
export interface EventSource {
  /** Stops receiving messages. Resolves when no call is in progress. */
  readonly end: () => Promise<void>
}

/**
 * Starts an event source that behaves like Lambda's: it has batches, limited concurrency and
 * partial failures. It removes a message after its success. The queue delivers a failed message
 * again after its visibility timeout. Source: Lambda's documentation of SQS event sources.
 */
export function startEventSource(options: EventSourceOptions): EventSource {
  const { concurrencyMax, onFailure } = options
  const shutdown = new AbortController()
  const pendingCalls = new Set<Promise<void>>()
  let lastEmptyReceiveMs = performance.now()
  const poll = async (): Promise<void> => {
    while (!shutdown.signal.aborted) {
      const callsMax = Math.min(
        concurrencyMax,
        computeCallsMax(performance.now() - lastEmptyReceiveMs),
      )
      if (pendingCalls.size >= callsMax) {
        await Promise.race([...pendingCalls, sleep(localCloudLimits.pollPauseMs)])
        continue
      }
      try {
        const messages = await receive(options, shutdown.signal)
        if (messages.length === 0) {
          lastEmptyReceiveMs = performance.now()
          continue
        }
        const call = deliverBatch(options, messages)
          .catch((thrown: unknown) => onFailure(String(thrown)))
          .finally(() => pendingCalls.delete(call))
        pendingCalls.add(call)
      } catch (thrown) {
        if (shutdown.signal.aborted) return
        onFailure(String(thrown))
        await sleep(localCloudLimits.pollPauseMs)
      }
    }
  }
  const polling = poll()
  return {
    end: async () => {
      shutdown.abort()
      await polling
      await Promise.all(pendingCalls)
    },
  }
}

/**
 * Returns the maximum number of concurrent calls. It grows while the queue has messages: five at
 * first, and 300 more per minute. `busyMs`: the time since the queue was last empty. Source:
 * Lambda's page on the scaling of SQS event sources. Pure.
 */
export function computeCallsMax(busyMs: number): number {
  const { sourceCallsAtFirst, sourceCallsPerMinute } = localCloudLimits
  return sourceCallsAtFirst + Math.floor((busyMs / 60_000) * sourceCallsPerMinute)
}

async function receive(
  { sqs, queue, batchSize }: EventSourceOptions,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queue.url,
    MaxNumberOfMessages: Math.min(batchSize, awsLimits.batchEntriesMax),
    WaitTimeSeconds: awsLimits.receiveWaitMs / 1_000,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  })
  return (await sqs.send(command, { abortSignal: signal })).Messages ?? []
}

async function deliverBatch(
  options: EventSourceOptions,
  messages: readonly Message[],
): Promise<void> {
  const { sqs, queue, region, invoke } = options
  const Records = messages.map(message => sqsRecordOf(message, queue, region))
  // The call belongs to the trace of the batch's first message.
  const traceHeader = messages[0]?.Attributes?.AWSTraceHeader
  const outcome = await invoke({ Records }, { traceHeader })
  if (outcome.kind !== 'answered') return
  const failedIds = parseFailures(outcome.json, messages)
  const succeededMessages = messages.filter(({ MessageId = '' }) => !failedIds.has(MessageId))
  if (succeededMessages.length === 0) return
  const Entries = succeededMessages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
  }))
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }))
}

/** Returns a message in the format that functions receive. */
function sqsRecordOf(message: Message, queue: LocalQueue, region: string) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType, stringValue: StringValue },
      ]),
    ),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queue.arn,
    awsRegion: region,
  }
}

const batchResponseForm = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullish()

/**
 * Returns the ids of the messages that a response reports as failed. Returns all ids if the
 * response is malformed or contains an unknown id.
 */
export function parseFailures(
  json: string,
  messages: readonly Pick<Message, 'MessageId'>[],
): ReadonlySet<string> {
  const allIds = new Set(messages.map(({ MessageId = '' }) => MessageId))
  try {
    const failures = batchResponseForm.parse(JSON.parse(json))?.batchItemFailures ?? []
    const reportedIds = new Set(failures.map(({ itemIdentifier }) => itemIdentifier))
    return [...reportedIds].every(id => allIds.has(id)) ? reportedIds : allIds
  } catch {
    return allIds
  }
}
