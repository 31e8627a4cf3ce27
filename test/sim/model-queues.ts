import type {
  ChangeMessageVisibilityCommandInput,
  DeleteMessageCommandInput,
  ReceiveMessageCommandInput,
  SendMessageBatchCommandInput,
  SendMessageCommandInput,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import type { SeededDraw } from './draw.ts'

interface StoredMessage {
  readonly id: string
  readonly body: string
  receives: number
  receipt: string
  visibleAtMs: number
}

/**
 * A queue of the model. With a dead letter queue, a message moves into that queue after
 * `receivesMax` receives.
 */
export interface ModelQueue {
  readonly url: string
  readonly deadLetterQueue?: { readonly url: string; readonly receivesMax: number }
}

/** The dependencies of the model on its world. */
export interface QueueWorld {
  readonly nowMs: () => number
  /** Schedules a call in this many ms. Returns a function that cancels it. */
  readonly after: (ms: number, call: () => void) => () => void
  readonly draw: SeededDraw
  /** Called for each rare event of the model. */
  readonly onEvent: (event: QueueEvent) => void
}

/** Behaviour that SQS allows and a simpler queue would not show. */
export const queueEvents = [
  'a message is delivered twice',
  'a receive misses messages',
  'a part of a batch fails',
  'a receipt is void',
  'a message becomes a dead letter',
] as const

type QueueEvent = (typeof queueEvents)[number]

/** The queues of the model. */
export interface ModelQueues {
  /** Answers a request, or throws an error of the SDK. A long poll waits for a message. */
  readonly send: (command: { readonly input: object }) => Promise<Answer>
  /** Returns the bodies of all messages, including dead letters. */
  readonly bodies: () => readonly string[]
}

type Answer = Readonly<Record<string, unknown>>
type CommandHandler = (input: never) => Answer | Promise<Answer>
interface BatchEntry {
  readonly Id: string | undefined
  readonly ReceiptHandle?: string | undefined
  readonly VisibilityTimeout?: number | undefined
}

/**
 * Creates a model of SQS standard queues as far as the adapters use them. Messages are delivered at
 * least once, sometimes twice, in any order, and are hidden during a visibility timeout. A part of
 * a batch may fail, a short poll may miss messages, and an earlier receipt may be void. Every
 * request is atomic, except for a receive that waits.
 */
export function createModelQueues(world: QueueWorld, queues: readonly ModelQueue[]): ModelQueues {
  const { draw, nowMs, onEvent } = world
  const messagesByUrl = new Map<string, StoredMessage[]>(queues.map(({ url }) => [url, []]))
  const wakers = new Set<() => void>()
  let count = 0
  const requireQueue = (url = ''): StoredMessage[] => {
    const queueMessages = messagesByUrl.get(url)
    if (queueMessages === undefined) throw refusalOf('QueueDoesNotExist')
    return queueMessages
  }
  const wakeAll = (): void => {
    for (const wake of [...wakers]) wake()
  }
  const put = (url: string | undefined, body: string, delayMs: number): Answer => {
    if (Buffer.byteLength(body) > awsLimits.messageBytesMax)
      throw refusalOf('InvalidParameterValue')
    count += 1
    const visibleAtMs = nowMs() + delayMs
    requireQueue(url).push({ id: `m${count}`, body, receives: 0, receipt: '', visibleAtMs })
    wakeAll()
    return { MessageId: `m${count}` }
  }
  const moveDeadLetters = (
    url: string,
    deadLetterQueue: NonNullable<ModelQueue['deadLetterQueue']>,
    atMs: number,
  ) => {
    const messages = requireQueue(url)
    const isExhausted = ({ receives, visibleAtMs }: StoredMessage): boolean =>
      receives >= deadLetterQueue.receivesMax && visibleAtMs <= atMs
    for (const message of messages.filter(isExhausted)) {
      messages.splice(messages.indexOf(message), 1)
      requireQueue(deadLetterQueue.url).push({ ...message, visibleAtMs: atMs })
      onEvent('a message becomes a dead letter')
    }
  }
  const receiveVisible = (input: ReceiveMessageCommandInput): readonly StoredMessage[] => {
    const { QueueUrl = '', MaxNumberOfMessages: max = 1, VisibilityTimeout = 30 } = input
    const deadLetterQueue = queues.find(({ url }) => url === QueueUrl)?.deadLetterQueue
    // Both queues use the same time. Otherwise a message that becomes visible between two reads of
    // the clock would be received once too often.
    const atMs = nowMs()
    if (deadLetterQueue !== undefined) moveDeadLetters(QueueUrl, deadLetterQueue, atMs)
    const visibleMessages = requireQueue(QueueUrl).filter(({ visibleAtMs }) => visibleAtMs <= atMs)
    const isShort = (input.WaitTimeSeconds ?? 0) === 0
    if (isShort && visibleMessages.length > 0 && draw.chance(0.1)) {
      onEvent('a receive misses messages')
      return []
    }
    const order = draw.chance(0.3) ? visibleMessages.toReversed() : visibleMessages
    return order.slice(0, max).map(message => {
      count += 1
      message.receives += 1
      message.receipt = `${message.id} r${count}`
      const isDeliveredTwice = draw.chance(0.02)
      if (isDeliveredTwice) onEvent('a message is delivered twice')
      message.visibleAtMs =
        nowMs() + (isDeliveredTwice ? draw.integer(0, 2_000) : VisibilityTimeout * 1_000)
      return { ...message }
    })
  }
  /** Returns the message of a receipt, if the receipt is still valid. */
  const findOwned = (url: string | undefined, receipt = ''): StoredMessage | undefined => {
    const [id] = receipt.split(' ')
    const message = requireQueue(url).find(other => other.id === id)
    if (message === undefined || message.receipt === receipt) return message
    // SQS often accepts an older receipt.
    return draw.chance(0.5) ? message : undefined
  }
  const remove = ({ QueueUrl, ReceiptHandle }: DeleteMessageCommandInput): void => {
    const message = findOwned(QueueUrl, ReceiptHandle)
    if (message === undefined) return
    const messages = requireQueue(QueueUrl)
    messages.splice(messages.indexOf(message), 1)
  }
  const hide = (input: ChangeMessageVisibilityCommandInput): void => {
    const message = findOwned(input.QueueUrl, input.ReceiptHandle)
    if (message === undefined || message.visibleAtMs <= nowMs()) {
      onEvent('a receipt is void')
      throw refusalOf(message === undefined ? 'ReceiptHandleIsInvalid' : 'MessageNotInflight')
    }
    message.visibleAtMs = nowMs() + (input.VisibilityTimeout ?? 0) * 1_000
    wakeAll()
  }
  /** Runs a call for each entry of a batch. Some entries fail. */
  const runEach = <Entry extends BatchEntry>(
    entries: readonly Entry[] | undefined = [],
    run: (entry: Entry) => void,
  ): Answer => {
    if (entries.length === 0) throw refusalOf('EmptyBatchRequest')
    if (entries.length > awsLimits.batchEntriesMax) throw refusalOf('TooManyEntriesInBatchRequest')
    const Failed: object[] = []
    for (const entry of entries) {
      if (draw.chance(0.02)) {
        onEvent('a part of a batch fails')
        Failed.push({ Id: entry.Id, SenderFault: false, Code: 'InternalError' })
        continue
      }
      try {
        run(entry)
      } catch (thrown) {
        Failed.push({ Id: entry.Id, SenderFault: true, Code: (thrown as Error).name })
      }
    }
    return { Failed }
  }
  const commands: Readonly<Record<string, CommandHandler>> = {
    SendMessageCommand: ({
      QueueUrl,
      MessageBody = '',
      DelaySeconds = 0,
    }: SendMessageCommandInput) => put(QueueUrl, MessageBody, DelaySeconds * 1_000),
    SendMessageBatchCommand: ({ QueueUrl, Entries }: SendMessageBatchCommandInput) => {
      const bytes = (Entries ?? []).map(({ MessageBody = '' }) => Buffer.byteLength(MessageBody))
      if (bytes.reduce((sum, size) => sum + size, 0) > awsLimits.messageBytesMax)
        throw refusalOf('BatchRequestTooLong')
      return runEach(
        Entries,
        ({ MessageBody = '', DelaySeconds = 0 }) =>
          void put(QueueUrl, MessageBody, DelaySeconds * 1_000),
      )
    },
    ReceiveMessageCommand: async (input: ReceiveMessageCommandInput) => {
      const untilMs = nowMs() + (input.WaitTimeSeconds ?? 0) * 1_000
      for (;;) {
        const received = receiveVisible(input)
        if (received.length > 0 || nowMs() >= untilMs) return { Messages: received.map(messageOf) }
        await sleepUntil(untilMs, requireQueue(input.QueueUrl))
      }
    },
    DeleteMessageCommand: (input: DeleteMessageCommandInput) => {
      remove(input)
      return {}
    },
    DeleteMessageBatchCommand: ({ QueueUrl, Entries }: BatchInput) =>
      runEach(Entries, ({ ReceiptHandle }) => remove({ QueueUrl, ReceiptHandle })),
    ChangeMessageVisibilityCommand: (input: ChangeMessageVisibilityCommandInput) => {
      hide(input)
      return {}
    },
    ChangeMessageVisibilityBatchCommand: ({ QueueUrl, Entries }: BatchInput) =>
      runEach(Entries, ({ ReceiptHandle, VisibilityTimeout }) =>
        hide({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
      ),
  }
  /** Waits until a message arrives or becomes visible, at most until `untilMs`. */
  const sleepUntil = (untilMs: number, messages: readonly StoredMessage[]): Promise<void> =>
    new Promise(resolve => {
      const wakeAtMs = messages.reduce(
        (earliestMs, message) => Math.min(earliestMs, message.visibleAtMs),
        untilMs,
      )
      const wake = (): void => {
        wakers.delete(wake)
        cancelTimer()
        resolve()
      }
      const cancelTimer = world.after(Math.max(1, wakeAtMs - nowMs()), wake)
      wakers.add(wake)
    })
  return {
    send: async command => {
      const name = command.constructor.name
      const handler = commands[name]
      if (handler === undefined) throw new TypeError(`the model does not know ${name}`)
      return handler(command.input as never)
    },
    bodies: () => [...messagesByUrl.values()].flatMap(messages => messages.map(({ body }) => body)),
  }
}

interface BatchInput {
  readonly QueueUrl: string | undefined
  readonly Entries: readonly BatchEntry[] | undefined
}

function messageOf({ id, body, receipt, receives }: StoredMessage): object {
  const Attributes = { ApproximateReceiveCount: String(receives) }
  return { MessageId: id, Body: body, ReceiptHandle: receipt, Attributes }
}

function refusalOf(name: string): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } })
}
