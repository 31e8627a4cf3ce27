import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
import { sealingContextOf } from '../../shared/ports/documents.ts'
import type { OutgoingMessage } from '../../shared/ports/notifications.ts'
import { type DeploymentId, type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { jitterOf, scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { serveSchedule } from './serve-schedule.ts'

const key = { kind: 'notification', scope: '*', name: 'chat' } as const
const stack = stackIdOf('shop', 'prod')
let home = ''
let platform: EmbeddedPlatform
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let postponed: [string, number][] = []
let removed: string[] = []
/** The number of the last deployment for which a test created a message. */
let lastNumber = 0

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-schedule-'))
  platform = await openEmbeddedPlatform({ home })
  await platform.catalog.createStack(stack, 1 as EpochMs)
  receiver = await startHttpReceiver()
  const secret = await platform.sealing.seal(
    'a secret of sender and receiver',
    sealingContextOf(key),
  )
  const value = { url: `${receiver.origin}/chat`, secret, events: ['started'] }
  await platform.documents.put(key, value, 0)
})
afterAll(async () => {
  receiver.close()
  await platform.close()
  rmSync(home, { recursive: true })
})
beforeEach(() => {
  postponed = []
  removed = []
  receiver.received.length = 0
})

const serve = (event: unknown) =>
  serveSchedule(
    {
      ...platform,
      execute: 'functions',
      outbound: receiver.outbound,
      nudges: { nudge: async () => undefined },
      scheduler: { remove: async name => void removed.push(name) },
      notifications: {
        fromEvent: ({ body, handle, deliveries }: RawMessage) =>
          body === 'x' ? undefined : { message: JSON.parse(body), receipt: handle, deliveries },
        postpone: async (receipt, ms) => void postponed.push([receipt, ms]),
      },
    },
    event,
  )

/** Creates a message as SQS passes it, for a deployment that no other test uses. */
function createRecord(id: string, deliveries = 1, message = createStartedMessage()) {
  const attributes = { ApproximateReceiveCount: String(deliveries) }
  return { messageId: id, receiptHandle: `h-${id}`, body: JSON.stringify(message), attributes }
}
function createStartedMessage(): OutgoingMessage {
  lastNumber += 1
  const deployment = `${stack}/${lastNumber}` as DeploymentId
  const event = { kind: 'started', stack, deployment, command: 'up', at: 1 as EpochMs } as const
  return { kind: 'notification', key, event }
}

test('a repeated message is sent once, a failed one is redelivered later, and an unreadable one is dropped', async () => {
  const repeatedMessage = createStartedMessage()
  const failingMessage = createStartedMessage()
  const failingDeployment = JSON.stringify(`${stack}/${lastNumber}`)
  receiver.state.answer = ({ body }) => ({ status: body.includes(failingDeployment) ? 503 : 200 })
  const records = [
    createRecord('a', 1, repeatedMessage),
    createRecord('b', 1, failingMessage),
    { ...createRecord('c'), body: 'x' },
  ]
  expect(await serve({ Records: records })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'b' }],
  })
  expect(postponed).toEqual([['h-b', triggerLimits.notificationRetryMs]])
  expect(await serve({ Records: [createRecord('d', 1, repeatedMessage)] })).toEqual({
    batchItemFailures: [],
  })
  expect(receiver.received).toHaveLength(2)
})

test('a message that its receiver refuses is sent once and becomes a dead letter', async () => {
  receiver.state.answer = () => ({ status: 410 })
  const refused = createStartedMessage()
  for (let index = 1; index <= triggerLimits.notificationAttemptsMax; index += 1)
    expect(await serve({ Records: [createRecord('a', index, refused)] })).toEqual({
      batchItemFailures: [{ itemIdentifier: 'a' }],
    })
  expect(receiver.received).toHaveLength(1)
  expect(new Set(postponed.map(([, ms]) => ms))).toEqual(new Set([0]))
})

test('a removed notification receives nothing', async () => {
  const gone = { ...createStartedMessage(), key: { ...key, name: 'gone' } } as OutgoingMessage
  expect(await serve({ Records: [createRecord('a', 1, gone)] })).toEqual({ batchItemFailures: [] })
  expect(receiver.received).toEqual([])
})

test('a scheduler call puts one request, even if it is slightly early and repeated', async () => {
  const schedule = { kind: 'schedule', scope: stack, name: 'nightly' } as const
  const due = Date.now() + 1_000
  const createdAt = due - 3_600_000
  const draft = { when: 'rate(1 hour)', operation: { kind: 'destroy' }, createdAt }
  await platform.documents.put(schedule, scheduleDocument.parse(draft), 0)
  // `placed` is the name of the calls in EventBridge Scheduler. The document of the schedule has it.
  const call = { ...schedule, placed: 'calls-1', placedAt: Date.now() }
  expect(await serve(call)).toBeUndefined()
  await serve(call)
  expect(await platform.requests.listWaiting(stack, 10)).toMatchObject([
    { key: `schedule nightly ${due}`, dryRun: false, options: { command: 'destroy' } },
  ])
  await serve({ ...call, name: 'gone' })
  expect(removed).toEqual([])
})

test('a scheduler call of a schedule with jitter runs immediately: the scheduler has applied the jitter', async () => {
  const jittered = stackIdOf('shop', 'jittered')
  await platform.catalog.createStack(jittered, 1 as EpochMs)
  const schedule = { kind: 'schedule', scope: jittered, name: 'spread' } as const
  const jitterMs = 1_800_000
  expect(jitterOf(schedule, jitterMs)).toBeGreaterThan(60_000)
  const createdAt = Date.now() - 3_600_000
  const draft = { when: 'rate(1 hour)', operation: { kind: 'up' }, createdAt, jitterMs }
  await platform.documents.put(schedule, scheduleDocument.parse(draft), 0)
  await serve({ ...schedule, placed: 'calls-9', placedAt: Date.now() })
  expect(await platform.requests.listWaiting(jittered, 10)).toHaveLength(1)
})

test('a placed call that no document names is removed when it is old enough', async () => {
  const placedAt = Date.now() - triggerLimits.orphanedCallAgeMs - 1
  const draft = { when: 'rate(1 hour)', operation: { kind: 'up' }, createdAt: Date.now() }
  const value = { ...scheduleDocument.parse(draft), placed: 'calls-2' }
  await platform.documents.put({ kind: 'schedule', scope: stack, name: 'kept' }, value, 0)
  const call = { kind: 'schedule', scope: stack, name: 'kept', placed: 'calls-2', placedAt }
  await serve(call)
  expect(removed).toEqual([])
  // The process that created the calls 'calls-1' died before the document named them. The document
  // of 'calls-3' is gone. 'calls-4' are too young to be removed.
  await serve({ ...call, placed: 'calls-1' })
  await serve({ ...call, name: 'gone', placed: 'calls-3' })
  await serve({ ...call, placed: 'calls-4', placedAt: Date.now() })
  expect(removed).toEqual(['calls-1', 'calls-3'])
})

test('an event that is neither a schedule call nor messages is refused', async () => {
  await expect(serve({ kind: 'else' })).rejects.toThrow()
})

test('a message or a call of a group leads only to the documents of this group', async () => {
  const foreignHome = mkdtempSync(join(tmpdir(), 'antichain-schedule-'))
  const foreign = await openEmbeddedPlatform({ home: foreignHome })
  try {
    const createServer = (
      ports: EmbeddedPlatform,
      queue: string,
    ): Parameters<typeof serveSchedule>[0] => ({
      ...ports,
      execute: 'functions',
      outbound: receiver.outbound,
      nudges: { nudge: async () => undefined },
      scheduler: { remove: async name => void removed.push(`${queue} ${name}`) },
      notificationsQueue: queue,
      notifications: {
        fromEvent: ({ body, handle, deliveries }: RawMessage) => ({
          message: JSON.parse(body),
          receipt: handle,
          deliveries,
        }),
        postpone: async () => undefined,
      },
    })
    const group = { name: 'web', projects: ['site'], ports: createServer(foreign, 'x_web-notes') }
    const server = { ...createServer(platform, 'x-notes'), otherGroups: [group] }
    const eventOf = (queue: string) => ({
      Records: [{ ...createRecord('a'), eventSourceARN: `arn:aws:sqs:eu:1:${queue}` }],
    })
    receiver.state.answer = () => ({ status: 200 })
    // The notification is a document of the default group.
    expect(await serveSchedule(server, eventOf('x_web-notes'))).toEqual({ batchItemFailures: [] })
    expect(receiver.received).toHaveLength(0)
    expect(await serveSchedule(server, eventOf('x-notes'))).toEqual({ batchItemFailures: [] })
    expect(receiver.received).toHaveLength(1)
    await expect(serveSchedule(server, eventOf('other-notes'))).rejects.toThrow('no group')
    const call = { kind: 'schedule', scope: stack, name: 'night', placed: 'p', placedAt: 1 }
    await serveSchedule(server, call)
    await serveSchedule(server, { ...call, group: 'web' })
    expect(removed).toEqual(['x-notes p', 'x_web-notes p'])
    await expect(serveSchedule(server, { ...call, group: 'none' })).rejects.toMatchObject({
      code: 'GROUP_UNKNOWN',
    })
  } finally {
    await foreign.close()
    rmSync(foreignHome, { recursive: true })
  }
})
