import { createHash } from 'node:crypto'
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type QueueAttributeName,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { expect, test } from 'vitest'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { type AwsSettings, createSqsClient } from '../../shared/platform/aws/clients.ts'
import { createChainQueue } from '../../shared/platform/aws/queues/chain-queue.ts'
import { createNotifications } from '../../shared/platform/aws/queues/notifications.ts'
import { createNudges } from '../../shared/platform/aws/queues/nudges.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { refuseMessages } from '../../functions/aws/stack-binding.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import type { BlobsPort } from '../../shared/ports/records.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import { defineChainQueueContract } from '../contract/chain-queue.ts'
import { defineNotificationsContract } from '../contract/notifications.ts'
import { defineNudgesContract } from '../contract/nudges.ts'
import { createDeploymentId, createStackId, toOperationId } from '../contract/open-adapter.ts'
import { type RequestFaultRule, withRequestFaults } from './request-faults.ts'
import { createTestQueue, removeQueue } from './test-resources.ts'
import { describeWithServices } from './describe-with-services.ts'

const clock = createSystemClock()

/** Creates a blob store in memory, for one test. */
function createMemoryBlobs(): BlobsPort & { readonly bytesByHash: Map<string, Uint8Array> } {
  const bytesByHash = new Map<string, Uint8Array>()
  return {
    put: async bytes => {
      const hash = createHash('sha256').update(bytes).digest('hex') as BlobHash
      bytesByHash.set(hash, bytes)
      return hash
    },
    get: async hash => {
      const bytes = bytesByHash.get(hash)
      if (bytes === undefined) throw new Error('absent')
      return bytes
    },
    bytesByHash,
  }
}

interface Options {
  readonly rules?: readonly RequestFaultRule[]
  readonly visibilityMs?: number
  readonly bytesMax?: number
}

/** Opens a chain queue over queues of its own. */
async function openChains(serviceSettings: AwsSettings, options: Options = {}) {
  const sqs = createSqsClient(serviceSettings)
  const queues = {
    short: await createTestQueue(sqs, 'chains'),
    long: await createTestQueue(sqs, 'long'),
  }
  const { settings, counts } = withRequestFaults(serviceSettings, options.rules ?? [], 7)
  const faulty = createSqsClient(settings)
  const { visibilityMs = 2_000, bytesMax } = options
  const blobs = createMemoryBlobs()
  const createChains = (timeoutMs: number) =>
    createChainQueue({
      sqs: faulty,
      queues,
      blobs,
      clock,
      logger: silentLogger,
      visibilityMs: timeoutMs,
      ...(bytesMax === undefined ? {} : { bytesMax }),
    })
  const chains = createChains(visibilityMs)
  const longTimeoutChains = createChains(60_000)
  const close = async (): Promise<void> => {
    for (const queue of Object.values(queues)) await removeQueue(sqs, queue)
    sqs.destroy()
    faulty.destroy()
  }
  return {
    ports: { chains, longTimeoutChains, visibilityMs },
    blobs,
    counts,
    queues,
    sqs,
    close,
  }
}

/** Opens a nudge queue of its own. */
async function openNudges(serviceSettings: AwsSettings, rules: readonly RequestFaultRule[] = []) {
  const sqs = createSqsClient(serviceSettings)
  const queue = await createTestQueue(sqs, 'nudges')
  const faulty = createSqsClient(withRequestFaults(serviceSettings, rules, 11).settings)
  const nudges = createNudges({ sqs: faulty, url: queue.url, clock, logger: silentLogger })
  const close = async (): Promise<void> => {
    await removeQueue(sqs, queue)
    sqs.destroy()
    faulty.destroy()
  }
  return { ports: { nudges }, queue, sqs, close }
}

/** Opens a notification queue of its own. */
async function openNotifications(
  serviceSettings: AwsSettings,
  rules: readonly RequestFaultRule[] = [],
) {
  const sqs = createSqsClient(serviceSettings)
  const attempts = triggerLimits.notificationAttemptsMax
  const queue = await createTestQueue(sqs, 'notifications', attempts)
  const faulty = createSqsClient(withRequestFaults(serviceSettings, rules, 13).settings)
  const deps = { sqs: faulty, queue, clock, logger: silentLogger, visibilityMs: 1_000 }
  const notifications = createNotifications(deps)
  const close = async (): Promise<void> => {
    await removeQueue(sqs, queue)
    sqs.destroy()
    faulty.destroy()
  }
  return { ports: { notifications, visibilityMs: 1_000 }, queue, sqs, close }
}

/** The faults that must not change the result of any request. */
const harmlessFaults: readonly RequestFaultRule[] = [
  { kind: 'throttled', percent: 6, attemptsMax: 1 },
  { kind: 'broken', percent: 10, attemptsMax: 2 },
  { kind: 'late', percent: 10, attemptsMax: 9 },
  {
    kind: 'lost',
    operations: ['DeleteMessage', 'DeleteMessageBatch', 'ChangeMessageVisibility'],
    percent: 25,
    attemptsMax: 2,
  },
]

/** Returns messages of one deployment, with one operation each. */
const messagesOf = (count: number) => {
  const deployment = createDeploymentId()
  return Array.from({ length: count }, (_, index) => ({
    deployment,
    operations: [toOperationId(index + 1)],
  }))
}

const createFirstAttemptFault = (
  kind: RequestFaultRule['kind'],
  operation: string,
): RequestFaultRule => ({
  kind,
  operations: [operation],
  percent: 100,
  attemptsMax: 1,
})

describeWithServices('queues over SQS', ['SQS'], settings => {
  const withoutFilters = { canFilter: false }
  defineChainQueueContract('SQS', () => openChains(settings()), withoutFilters)
  const withFaults = { rules: harmlessFaults, visibilityMs: 3_000 }
  defineChainQueueContract(
    'SQS, with faults',
    () => openChains(settings(), withFaults),
    withoutFilters,
  )
  defineNudgesContract('SQS', () => openNudges(settings()), withoutFilters)
  defineNudgesContract(
    'SQS, with faults',
    () => openNudges(settings(), harmlessFaults),
    withoutFilters,
  )
  defineNotificationsContract('SQS', () => openNotifications(settings()))

  test('a malformed notification is delivered neither from the queue nor from an event', async () => {
    const { ports, queue, sqs, close } = await openNotifications(settings())
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: '{"v":2}' }))
    expect(await ports.notifications.receive(10, 2_500)).toEqual([])
    expect(
      ports.notifications.fromEvent({
        id: 'i',
        handle: 'h',
        body: 'x',
        deliveries: 1,
        refusals: 0,
      }),
    ).toBe(undefined)
    await close()
  })

  test('many messages are sent in batches of ten, and all of them are received', async () => {
    const { ports, counts, close } = await openChains(settings(), { visibilityMs: 60_000 })
    const messages = messagesOf(25)
    await ports.chains.send(messages)
    expect(counts.requests.get('SendMessageBatch')).toBe(3)
    const receivedOperations = new Set<number>()
    while (receivedOperations.size < 25)
      for (const { message, receipt } of await ports.chains.receive(10, 10_000, {
        pool: 'short',
      })) {
        receivedOperations.add(message.operations[0] ?? 0)
        await ports.chains.remove(receipt)
      }
    expect(await ports.chains.receive(10, 0)).toEqual([])
    await close()
  })

  test('a message or batch above the limit of SQS is refused by the emulator, too', async () => {
    const { queues, sqs, close } = await openChains(settings())
    const send = (bytes: number) =>
      sqs.send(
        new SendMessageCommand({ QueueUrl: queues.short.url, MessageBody: 'x'.repeat(bytes) }),
      )
    await send(awsLimits.messageBytesMax)
    await expect(send(awsLimits.messageBytesMax + 1)).rejects.toThrow('MessageTooLong')
    const sendTwo = (bytes: number) =>
      sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: queues.short.url,
          Entries: ['a', 'b'].map(Id => ({ Id, MessageBody: 'x'.repeat(bytes) })),
        }),
      )
    await sendTwo(awsLimits.messageBytesMax / 2)
    await expect(sendTwo(awsLimits.messageBytesMax / 2 + 1)).rejects.toThrow('TooLong')
    await close()
  })

  test('a large message is sent by reference and received complete, also as a dead letter', async () => {
    const { ports, blobs, close } = await openChains(settings(), { bytesMax: 100 })
    const { chains } = ports
    const [message = failWithoutMessage()] = messagesOf(1)
    const large = {
      ...message,
      operations: Array.from({ length: 64 }, (_, index) => toOperationId(index + 1)),
    }
    await chains.send([large])
    expect(blobs.bytesByHash.size).toBe(1)
    for (let count = 1; count <= 5; count += 1)
      expect(await chains.receive(1, 10_000)).toMatchObject([{ message: large }])
    expect(await chains.receive(1, ports.visibilityMs * 2)).toEqual([])
    expect(await chains.listDeadLetters(large.deployment)).toEqual([large])
    await close()
  })

  test('a send whose reply was lost sends a second message', async () => {
    const rules = [createFirstAttemptFault('lost', 'SendMessageBatch')]
    const { ports, close } = await openChains(settings(), { rules, visibilityMs: 60_000 })
    const [message = failWithoutMessage()] = messagesOf(1)
    await ports.chains.send([message])
    const first = await ports.chains.receive(10, 10_000)
    const second = first.length === 2 ? [] : await ports.chains.receive(10, 10_000)
    const deliveries = [...first, ...second]
    expect(deliveries).toMatchObject([{ message }, { message }])
    expect(new Set(deliveries.map(delivery => delivery.receipt)).size).toBe(2)
    await close()
  })

  test('a receive whose reply was lost loses nothing: the message is received after its visibility timeout', async () => {
    const rules = [createFirstAttemptFault('lost', 'ReceiveMessage')]
    const { ports, close } = await openChains(settings(), { rules })
    const [message = failWithoutMessage()] = messagesOf(1)
    await ports.chains.send([message])
    const [delivery] = await ports.chains.receive(1, 20_000, { pool: 'short' })
    expect(delivery?.message).toEqual(message)
    expect(delivery?.deliveries).toBeGreaterThan(1)
    await close()
  })

  test('a message that is delivered twice has two deliveries, and a second removal does no harm', async () => {
    const rules = [createFirstAttemptFault('again', 'ReceiveMessage')]
    const { ports, queues, sqs, close } = await openChains(settings(), {
      rules,
      visibilityMs: 60_000,
    })
    const [message = failWithoutMessage()] = messagesOf(1)
    await ports.chains.send([message])
    const receiveOptions = { pool: 'short' } as const
    const [one] = await ports.chains.receive(1, 0, receiveOptions)
    const [other] = await ports.chains.receive(1, 0, receiveOptions)
    expect([one?.message, other?.message]).toEqual([message, message])
    for (const receipt of [one?.receipt, other?.receipt]) await ports.chains.remove(receipt ?? '')
    for (const attribute of [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
    ] as const)
      expect(await attributeOf(sqs, queues.short.url, attribute)).toBe(0)
    await close()
  })

  test('a malformed message becomes a dead letter and delays no other', async () => {
    const { ports, queues, sqs, close } = await openChains(settings())
    const countDead = () =>
      attributeOf(sqs, queues.short.deadLetterUrl, 'ApproximateNumberOfMessages')
    const [message = failWithoutMessage()] = messagesOf(1)
    const bodies = ['no json', '{"v":2}', `{"v":1,"deployment":"d","blob":"${'0'.repeat(64)}"}`]
    for (const MessageBody of bodies)
      await sqs.send(new SendMessageCommand({ QueueUrl: queues.short.url, MessageBody }))
    await ports.chains.send([message])
    let isFound = false
    for (let attempt = 0; attempt < 60 && (await countDead()) < 3; attempt += 1)
      for (const delivery of await ports.chains.receive(10, 1_000, { pool: 'short' })) {
        expect(delivery.message).toEqual(message)
        await ports.chains.remove(delivery.receipt)
        isFound = true
      }
    expect(isFound).toBe(true)
    expect(await countDead()).toBe(3)
    expect(await ports.chains.listDeadLetters(message.deployment)).toEqual([])
    await close()
  })

  test('a missing queue is reported as missing', async () => {
    const { ports, queues, sqs, close } = await openChains(settings())
    await removeQueue(sqs, queues.short)
    const missing = { code: 'STORE_MISSING', message: expect.stringContaining('chains-') }
    await expect(ports.chains.send(messagesOf(1))).rejects.toMatchObject(missing)
    await expect(ports.chains.receive(1, 0)).rejects.toMatchObject(missing)
    await expect(ports.chains.listDeadLetters(createDeploymentId())).rejects.toMatchObject(missing)
    queues.short = await createTestQueue(sqs, 'chains')
    await close()
  })

  test('a message of an event source is a delivery that the event source removes', async () => {
    const { ports, counts, close } = await openChains(settings())
    const [message = failWithoutMessage()] = messagesOf(1)
    const body = JSON.stringify({ v: 1, ...message })
    const raw = { id: '1', handle: 'h', body, deliveries: 3, refusals: 0 }
    const delivery = await ports.chains.fromEvent('short', raw)
    expect(delivery).toMatchObject({ message, deliveries: 3 })
    await ports.chains.remove(delivery?.receipt ?? '')
    expect(counts.requests.get('DeleteMessage')).toBeUndefined()
    expect(await ports.chains.fromEvent('short', { ...raw, body: '[]' })).toBeUndefined()
    await close()
  })

  test('a message that a function passes on is sent as a new message, and the old one is removed', async () => {
    const { ports, queues, sqs, close } = await openChains(settings())
    const [message = failWithoutMessage()] = messagesOf(1)
    await ports.chains.send([message])
    const QueueUrl = queues.short.url
    const receive = new ReceiveMessageCommand({
      QueueUrl,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    })
    const [{ Body: body = '', ReceiptHandle: handle = '' } = {}] =
      (await sqs.send(receive)).Messages ?? []
    await ports.chains.requeue('short', { id: '1', handle, body, deliveries: 3, refusals: 2 })
    const peekOptions = { QueueUrl, MessageAttributeNames: ['All'], VisibilityTimeout: 0 }
    const { Messages: [requeued] = [] } = await sqs.send(new ReceiveMessageCommand(peekOptions))
    const { refusals, deliveries } = requeued?.MessageAttributes ?? {}
    expect([refusals?.StringValue, deliveries?.StringValue]).toEqual(['2', '2'])
    const [requeuedDelivery, extraDelivery] = await ports.chains.receive(10, 1_000)
    // The count has the two deliveries before the message was passed on, and both later receives.
    expect(requeuedDelivery).toMatchObject({ message, deliveries: 4, rawMessage: { refusals: 2 } })
    expect(extraDelivery).toBeUndefined()
    expect(await attributeOf(sqs, QueueUrl, 'ApproximateNumberOfMessagesNotVisible')).toBe(1)
    await close()
  })

  test('a refused nudge counts its refusals, and starts again at zero after the maximum', async () => {
    const { ports, close } = await openNudges(settings())
    const stack = createStackId()
    await ports.nudges.nudge(stack, 0)
    const first = (await ports.nudges.receiveNudge(1_000)) ?? failWithoutMessage()
    expect(first).toMatchObject({ nudge: { stack }, message: { refusals: 0 } })
    expect(await refuseMessages([first.message], ports.nudges.requeue)).toBe(false)
    const second = (await ports.nudges.receiveNudge(1_000)) ?? failWithoutMessage()
    expect(second).toMatchObject({ nudge: { stack }, message: { refusals: 1 } })
    const lastMessage = { ...second.message, refusals: awsLimits.messageRefusalsMax - 1 }
    expect(await refuseMessages([lastMessage], ports.nudges.requeue)).toBe(true)
    expect(await ports.nudges.receiveNudge(1_000)).toMatchObject({ message: { refusals: 0 } })
    await close()
  })

  test('a nudge beyond the maximum delay of a queue is sent again until it is due', async () => {
    const { ports, queue, sqs, close } = await openNudges(settings())
    const stack = createStackId()
    await ports.nudges.nudge(stack, 3_600_000)
    expect(await attributeOf(sqs, queue.url, 'ApproximateNumberOfMessagesDelayed')).toBe(1)
    expect(await ports.nudges.receive(0)).toBeUndefined()
    const dueAt = Date.now() + 1_500
    const body = JSON.stringify({ v: 1, stack, dueAt })
    expect(await ports.nudges.fromEvent(body)).toBeUndefined()
    expect(await ports.nudges.receive(10_000)).toBe(stack)
    expect(Date.now()).toBeGreaterThanOrEqual(dueAt)
    expect(await ports.nudges.fromEvent('no json')).toBeUndefined()
    await close()
  })
})

async function attributeOf(
  sqs: ReturnType<typeof createSqsClient>,
  url: string,
  name: QueueAttributeName,
): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] })
  return Number((await sqs.send(command)).Attributes?.[name])
}

function failWithoutMessage(): never {
  throw new Error('there is no message')
}
