import {
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageResult,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { withAwsErrors } from '../aws-error.ts'

/** The URLs of a queue and of its dead-letter queue. */
export interface QueueUrls {
  readonly url: string
  readonly deadLetterUrl: string
}

/** A message as SQS delivers it. */
export interface RawMessage {
  readonly id: string
  readonly handle: string
  readonly body: string
  /** Number of deliveries, including this one. Refusals do not count. */
  readonly deliveries: number
  /** Number of times that an environment of another stack refused the message and sent it again. */
  readonly refusals: number
  /** The time at which the message was sent, in ms since 1970. Absent: unknown. */
  readonly sentAt?: number
}

/** The attribute with the number of refusals of a requeued message. */
export const refusalsAttribute = 'refusals'

/**
 * The attribute with the number of deliveries of a requeued message before the refused delivery.
 */
export const deliveriesAttribute = 'deliveries'

/** Returns the counter in a message attribute. An absent or malformed counter counts as 0. */
export function parseCounter(text = ''): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

/** Returns the send time of a message as a field, or no field without a valid time. */
export function parseSentTime(text = ''): Pick<RawMessage, 'sentAt'> {
  return /^\d{13}$/.test(text) ? { sentAt: Number(text) } : {}
}

/** The parameters of a receive. */
export interface ReceiveRequest {
  readonly messagesMax: number
  /** Long-poll time in ms, rounded down to whole seconds. A poll below one second does not wait. */
  readonly waitMs: number
  /** Visibility timeout in ms, rounded up to whole seconds. */
  readonly visibilityMs: number
  readonly signal?: AbortSignal | undefined
}

/** One second, which is also the shortest long-poll time of SQS. */
const secondMs = 1_000
/** Polling interval when the remaining wait is shorter than a long poll. */
const pollIntervalMs = 100

/**
 * Sends one ReceiveMessage. When the response is lost, or dropped because `signal` aborted, its
 * messages become visible again after their timeout.
 */
export async function receiveOnce(
  sqs: SQSClient,
  url: string,
  request: ReceiveRequest,
): Promise<readonly RawMessage[]> {
  const { signal } = request
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: Math.min(request.messagesMax, awsLimits.batchEntriesMax),
    WaitTimeSeconds: Math.floor(Math.min(request.waitMs, awsLimits.receiveWaitMs) / secondMs),
    VisibilityTimeout: Math.ceil(request.visibilityMs / secondMs),
    MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
    MessageAttributeNames: [refusalsAttribute, deliveriesAttribute],
  })
  const options = signal === undefined ? {} : { abortSignal: signal }
  const requestName = `queue ${queueNameOf(url)}: receive`
  const { Messages = [] } = await withAwsErrors(
    requestName,
    async (): Promise<ReceiveMessageResult> => {
      try {
        return await sqs.send(command, options)
      } catch (thrown) {
        if (signal?.aborted === true) return {}
        throw thrown
      }
    },
  )
  return Messages.map(toRawMessage)
}

/**
 * Polls the queues in turn until one has messages. Returns undefined when none has a message within
 * `waitMs`, or when `signal` aborts. A poll of a single queue takes up to 20 s. Several queues are
 * polled for up to 1 s each.
 */
export async function pollQueues<Queue extends { readonly url: string }>(
  deps: { readonly sqs: SQSClient; readonly clock: ClockPort },
  queues: readonly Queue[],
  request: ReceiveRequest,
): Promise<{ readonly queue: Queue; readonly messages: readonly RawMessage[] } | undefined> {
  const { clock, sqs } = deps
  const { signal } = request
  const deadlineMs = clock.monotonicMs() + request.waitMs
  const longPollMs = queues.length === 1 ? awsLimits.receiveWaitMs : awsLimits.alternatingWaitMs
  for (let round = 0; ; round += 1) {
    for (const queue of queues) {
      if (signal?.aborted === true) return undefined
      // With several queues, the first round does not wait. An empty queue then does not delay the
      // messages of another queue.
      const isFirstPoll = round === 0 && queues.length > 1
      const remainingMs = Math.max(0, deadlineMs - clock.monotonicMs())
      const waitMs = isFirstPoll ? 0 : Math.min(remainingMs, longPollMs)
      const messages = await receiveOnce(sqs, queue.url, { ...request, waitMs })
      if (messages.length > 0) return { queue, messages }
    }
    const remainingMs = deadlineMs - clock.monotonicMs()
    if (remainingMs <= 0) return undefined
    if (remainingMs < secondMs) await clock.sleep(Math.min(remainingMs, pollIntervalMs), signal)
  }
}

/** Returns the queue name of a URL, for messages. */
export function queueNameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}

function toRawMessage(message: Message): RawMessage {
  const counterOf = (name: string): number =>
    parseCounter(message.MessageAttributes?.[name]?.StringValue)
  return {
    id: message.MessageId ?? '',
    handle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    deliveries:
      Number(message.Attributes?.ApproximateReceiveCount ?? '1') + counterOf(deliveriesAttribute),
    refusals: counterOf(refusalsAttribute),
    ...parseSentTime(message.Attributes?.SentTimestamp),
  }
}
