import type {
  ChangeMessageVisibilityCommandInput,
  DeleteMessageCommandInput,
  ReceiveMessageCommandInput,
  SendMessageBatchCommandInput,
  SendMessageCommandInput,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import type { SeededDraw } from './draw.ts'

interface Stored {
  readonly id: string
  readonly body: string
  receives: number
  receipt: string
  visibleAtMs: number
}

/**
 * A queue of the model. A queue with dead letters moves a message there after `receivesMax`
 * receives.
 */
export interface ModelQueue {
  readonly url: string
  readonly dead?: { readonly url: string; readonly receivesMax: number }
}

/** The dependencies of the model on its world. */
export interface QueueWorld {
  readonly nowMs: () => number
  /** Schedules a call in this many ms. Returns a function that cancels it. */
  readonly after: (ms: number, call: () => void) => () => void
  readonly draw: SeededDraw
  /** Called for each rare event of the model. */
  readonly onEvent: (what: QueueEvent) => void
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

/** A response of SQS. */
export interface ModelQueues {
  /** Throws the errors of the SDK. A receive waits at the server. */
  readonly send: (command: { readonly input: object }) => Promise<Answer>
  /** Returns the bodies of all messages, including dead letters. */
  readonly bodies: () => readonly string[]
}

type Answer = Readonly<Record<string, unknown>>
type Run = (input: never) => Answer | Promise<Answer>
interface Batched {
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
export function createModelQueues(world: QueueWorld, all: readonly ModelQueue[]): ModelQueues {
  const { draw, nowMs, onEvent } = world
  const stored = new Map<string, Stored[]>(all.map(({ url }) => [url, []]))
  const waiting = new Set<() => void>()
  let count = 0
  const at = (url = ''): Stored[] => {
    const found = stored.get(url)
    if (found === undefined) throw refusal('QueueDoesNotExist')
    return found
  }
  const wakeAll = (): void => {
    for (const wake of [...waiting]) wake()
  }
  const put = (url: string | undefined, body: string, delayMs: number): Answer => {
    if (Buffer.byteLength(body) > awsLimits.messageBytesMax) throw refusal('InvalidParameterValue')
    count += 1
    const visibleAtMs = nowMs() + delayMs
    at(url).push({ id: `m${count}`, body, receives: 0, receipt: '', visibleAtMs })
    wakeAll()
    return { MessageId: `m${count}` }
  }
  const bury = (url: string, dead: NonNullable<ModelQueue['dead']>, atMs: number) => {
    const messages = at(url)
    const spent = ({ receives, visibleAtMs }: Stored): boolean =>
      receives >= dead.receivesMax && visibleAtMs <= atMs
    for (const one of messages.filter(spent)) {
      messages.splice(messages.indexOf(one), 1)
      at(dead.url).push({ ...one, visibleAtMs: atMs })
      onEvent('a message becomes a dead letter')
    }
  }
  const take = (input: ReceiveMessageCommandInput): readonly Stored[] => {
    const { QueueUrl = '', MaxNumberOfMessages: max = 1, VisibilityTimeout = 30 } = input
    const dead = all.find(({ url }) => url === QueueUrl)?.dead
    // Both queues use the same time: otherwise a message that becomes visible in between would be
    // received once too often.
    const atMs = nowMs()
    if (dead !== undefined) bury(QueueUrl, dead, atMs)
    const seen = at(QueueUrl).filter(({ visibleAtMs }) => visibleAtMs <= atMs)
    const isShort = (input.WaitTimeSeconds ?? 0) === 0
    if (isShort && seen.length > 0 && draw.chance(0.1)) {
      onEvent('a receive misses messages')
      return []
    }
    const order = draw.chance(0.3) ? seen.toReversed() : seen
    return order.slice(0, max).map(one => {
      count += 1
      one.receives += 1
      one.receipt = `${one.id} r${count}`
      const isTwice = draw.chance(0.02)
      if (isTwice) onEvent('a message is delivered twice')
      one.visibleAtMs = nowMs() + (isTwice ? draw.whole(0, 2_000) : VisibilityTimeout * 1_000)
      return { ...one }
    })
  }
  /** Returns the message of a receipt, if the receipt is still valid. */
  const findOwned = (url: string | undefined, receipt = ''): Stored | undefined => {
    const [id] = receipt.split(' ')
    const one = at(url).find(other => other.id === id)
    if (one === undefined || one.receipt === receipt) return one
    // SQS often accepts an older receipt.
    return draw.chance(0.5) ? one : undefined
  }
  const remove = ({ QueueUrl, ReceiptHandle }: DeleteMessageCommandInput): void => {
    const one = findOwned(QueueUrl, ReceiptHandle)
    if (one === undefined) return
    const messages = at(QueueUrl)
    messages.splice(messages.indexOf(one), 1)
  }
  const hide = (input: ChangeMessageVisibilityCommandInput): void => {
    const one = findOwned(input.QueueUrl, input.ReceiptHandle)
    if (one === undefined || one.visibleAtMs <= nowMs()) {
      onEvent('a receipt is void')
      throw refusal(one === undefined ? 'ReceiptHandleIsInvalid' : 'MessageNotInflight')
    }
    one.visibleAtMs = nowMs() + (input.VisibilityTimeout ?? 0) * 1_000
    wakeAll()
  }
  /** Each entry is handled separately, and some fail. */
  const runEach = <Entry extends Batched>(
    entries: readonly Entry[] | undefined = [],
    run: (entry: Entry) => void,
  ): Answer => {
    if (entries.length === 0) throw refusal('EmptyBatchRequest')
    if (entries.length > awsLimits.batchMax) throw refusal('TooManyEntriesInBatchRequest')
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
  const commands: Readonly<Record<string, Run>> = {
    SendMessageCommand: ({
      QueueUrl,
      MessageBody = '',
      DelaySeconds = 0,
    }: SendMessageCommandInput) => put(QueueUrl, MessageBody, DelaySeconds * 1_000),
    SendMessageBatchCommand: ({ QueueUrl, Entries }: SendMessageBatchCommandInput) => {
      const bytes = (Entries ?? []).map(({ MessageBody = '' }) => Buffer.byteLength(MessageBody))
      if (bytes.reduce((sum, one) => sum + one, 0) > awsLimits.messageBytesMax)
        throw refusal('BatchRequestTooLong')
      return runEach(Entries, ({ MessageBody = '' }) => void put(QueueUrl, MessageBody, 0))
    },
    ReceiveMessageCommand: async (input: ReceiveMessageCommandInput) => {
      const untilMs = nowMs() + (input.WaitTimeSeconds ?? 0) * 1_000
      for (;;) {
        const taken = take(input)
        if (taken.length > 0 || nowMs() >= untilMs) return { Messages: taken.map(messageOf) }
        await sleepUntil(untilMs, at(input.QueueUrl))
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
  /** Waits until a message arrives or becomes visible. */
  const sleepUntil = (untilMs: number, messages: readonly Stored[]): Promise<void> =>
    new Promise(done => {
      const next = messages.reduce((least, one) => Math.min(least, one.visibleAtMs), untilMs)
      const wake = (): void => {
        waiting.delete(wake)
        callOff()
        done()
      }
      const callOff = world.after(Math.max(1, next - nowMs()), wake)
      waiting.add(wake)
    })
  return {
    send: async command => {
      const name = command.constructor.name
      const run = commands[name]
      if (run === undefined) throw new TypeError(`the model does not know ${name}`)
      return run(command.input as never)
    },
    bodies: () => [...stored.values()].flatMap(one => one.map(({ body }) => body)),
  }
}

interface BatchInput {
  readonly QueueUrl: string | undefined
  readonly Entries: readonly Batched[] | undefined
}

function messageOf({ id, body, receipt, receives }: Stored): object {
  const Attributes = { ApproximateReceiveCount: String(receives) }
  return { MessageId: id, Body: body, ReceiptHandle: receipt, Attributes }
}

function refusal(name: string): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } })
}
