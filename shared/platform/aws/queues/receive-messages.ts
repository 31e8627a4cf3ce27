import {
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageResult,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { withAwsErrors } from '../aws-error.ts'

/** A queue with that of its dead letters, by their URLs. */
export interface QueueUrls {
  readonly url: string
  readonly deadUrl: string
}

/** A message as SQS delivers it. */
export interface RawMessage {
  readonly id: string
  readonly handle: string
  readonly body: string
  /** How often it was delivered, this time included. */
  readonly deliveries: number
}

/** How messages are asked for. */
export interface ReceiveRequest {
  readonly max: number
  /** At the server, in whole seconds; less than one is not waited. */
  readonly waitMs: number
  /** How long they are invisible to others, in whole seconds, at least one. */
  readonly visibilityMs: number
  readonly signal?: AbortSignal | undefined
}

/** Below this a server cannot be asked to wait. */
const secondMs = 1_000
/** Between two looks in the last part of a wait that is shorter than that. */
const lookAgainMs = 100

/**
 * One ReceiveMessage. A reply that is lost, or dropped because `signal` aborted, leaves its
 * messages on loan to nobody: they come again when the loan is over.
 */
export async function receiveOnce(
  sqs: SQSClient,
  url: string,
  request: ReceiveRequest,
): Promise<readonly RawMessage[]> {
  const { signal } = request
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: Math.min(request.max, awsLimits.batchMax),
    WaitTimeSeconds: Math.floor(Math.min(request.waitMs, awsLimits.receiveWaitMs) / secondMs),
    VisibilityTimeout: Math.ceil(request.visibilityMs / secondMs),
    MessageSystemAttributeNames: ['ApproximateReceiveCount'],
  })
  const options = signal === undefined ? {} : { abortSignal: signal }
  const what = `queue ${queueNameOf(url)}: receive`
  const { Messages = [] } = await withAwsErrors(what, async (): Promise<ReceiveMessageResult> => {
    try {
      return await sqs.send(command, options)
    } catch (thrown) {
      if (signal?.aborted === true) return {}
      throw thrown
    }
  })
  return Messages.map(readMessage)
}

/**
 * Asks the queues in turn until one has something, `waitMs` are over, or `signal` aborts. One queue
 * is waited upon for long at the server; of several each gets a second at a time.
 */
export async function pollQueues<Queue extends { readonly url: string }>(
  deps: { readonly sqs: SQSClient; readonly clock: ClockPort },
  queues: readonly Queue[],
  request: ReceiveRequest,
): Promise<{ readonly queue: Queue; readonly messages: readonly RawMessage[] } | undefined> {
  const { clock, sqs } = deps
  const { signal } = request
  const untilMs = clock.monotonicMs() + request.waitMs
  const turnMs = queues.length === 1 ? awsLimits.receiveWaitMs : awsLimits.turnMs
  for (let round = 0; ; round += 1) {
    for (const queue of queues) {
      if (signal?.aborted === true) return undefined
      // Whoever has a queue with something in it shall not wait upon the other one.
      const isFirstLook = round === 0 && queues.length > 1
      const leftMs = Math.max(0, untilMs - clock.monotonicMs())
      const waitMs = isFirstLook ? 0 : Math.min(leftMs, turnMs)
      const messages = await receiveOnce(sqs, queue.url, { ...request, waitMs })
      if (messages.length > 0) return { queue, messages }
    }
    const leftMs = untilMs - clock.monotonicMs()
    if (leftMs <= 0) return undefined
    if (leftMs < secondMs) await clock.sleep(Math.min(leftMs, lookAgainMs), signal)
  }
}

/** The name in a queue's URL, for people. */
export function queueNameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}

function readMessage(message: Message): RawMessage {
  return {
    id: message.MessageId ?? '',
    handle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    deliveries: Number(message.Attributes?.ApproximateReceiveCount ?? '1'),
  }
}
