import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { createKeyFileSealing } from '../../platform/embedded/key-file-sealing.ts'
import { silentLogger } from '../../platform/system/logger.ts'
import {
  type DocumentKey,
  type DocumentsPort,
  sealingContextOf,
  type StoredDocument,
} from '../../ports/documents.ts'
import type { DeploymentId, EpochMs, StackId } from '../../records/ids.ts'
import type { NotificationEvent } from '../../records/notification.ts'
import { startHttpReceiver } from '../outbound/local-receiver.fixture.ts'
import { readDeliveryHistory } from './delivery-history.ts'
import { deliverNotification, evaluateAttempt, payloadOf } from './deliver-notification.ts'
import {
  isNotificationFor,
  type Notification,
  notificationDocument,
} from './notification-document.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { webhookForms } from '../webhooks/webhook-forms.ts'

const key: DocumentKey = { kind: 'notification', scope: '*', name: 'chat' }
const secret = 'a secret that both sides know'
const stack = 'organization/shop/prod' as StackId
const eventFields = {
  stack,
  deployment: `${stack}/7` as DeploymentId,
  command: 'up',
  at: Date.parse('2026-11-22T05:00:00Z') as EpochMs,
}
const failed: NotificationEvent = {
  kind: 'failed',
  changes: { create: 2 },
  codes: ['PROVIDER_FAILED'],
  ...eventFields,
}
const now = Date.now() as EpochMs
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let home = ''
let value: Notification

beforeAll(async () => {
  receiver = await startHttpReceiver()
  home = mkdtempSync(join(tmpdir(), 'antichain-notifications-'))
  const sealed = await createKeyFileSealing(home).seal(secret, sealingContextOf(key))
  const url = `${receiver.origin}/hook?token=of-the-address`
  value = notificationDocument.parse({ url, secret: sealed, events: ['failed', 'drift'] })
})
afterAll(() => {
  receiver.close()
  rmSync(home, { recursive: true })
})
beforeEach(() => {
  receiver.state.answer = () => ({ status: 204 })
})

/** The stored delivery history, and whether its store refuses puts. */
const history: { stored: StoredDocument | undefined; isDown: boolean } = {
  stored: undefined,
  isDown: false,
}
const clearHistory = (): void => {
  history.stored = undefined
}
const documents: Pick<DocumentsPort, 'get' | 'put'> = {
  get: async () => history.stored,
  put: async (documentKey, documentValue, version) => {
    if (history.isDown) throw new Error('the store is down')
    history.stored = { key: documentKey, version: version + 1, value: documentValue }
    return version + 1
  },
}

const send = (event: NotificationEvent, attempt = 1, outbound = receiver.outbound) =>
  deliverNotification(
    {
      outbound,
      sealing: createKeyFileSealing(home),
      documents,
      logger: silentLogger,
      clock: { now: () => now, monotonicMs: () => performance.now() },
    },
    { key, value },
    { event, attempt },
  )

describe('notifications', () => {
  test('a delivery has a signature that the signed form of webhooks accepts', async () => {
    expect(await send(failed)).toEqual({ kind: 'delivered' })
    const receivedRequest = receiver.received.at(-1)
    const request = {
      headers: new Map(
        Object.entries(receivedRequest?.headers ?? {}).map(([name, value]) => [
          name,
          String(value),
        ]),
      ),
      body: Buffer.from(receivedRequest?.body ?? ''),
    }
    webhookForms.signed.verify(request, { secrets: [secret], now })
    expect(() =>
      webhookForms.signed.verify(request, { secrets: ['another secret, also long'], now }),
    ).toThrow(expect.objectContaining({ code: 'WEBHOOK_REFUSED' }))
    expect(JSON.parse(receivedRequest?.body ?? '')).toEqual({
      event: 'deployment.failed',
      stack,
      deployment: `${stack}/7`,
      command: 'up',
      time: '2026-11-22T05:00:00.000Z',
      changes: { create: 2 },
      codes: ['PROVIDER_FAILED'],
    })
  })

  test('the id of a delivery is the same in every attempt, and differs between events', async () => {
    const idAfter = async (event: NotificationEvent, attempt: number) => {
      await send(event, attempt)
      return receiver.received.at(-1)?.headers['antichain-delivery']
    }
    const first = await idAfter(failed, 1)
    expect(await idAfter(failed, 2)).toBe(first)
    expect(await idAfter({ kind: 'started', ...eventFields }, 1)).not.toBe(first)
  })

  test.each<[NotificationEvent, object]>([
    [{ kind: 'started', ...eventFields }, { event: 'deployment.started' }],
    [
      { kind: 'succeeded', changes: { same: 1 }, ...eventFields },
      { event: 'deployment.succeeded', changes: { same: 1 } },
    ],
    [failed, { event: 'deployment.failed', codes: ['PROVIDER_FAILED'] }],
    [
      { kind: 'drift', count: 1, urns: ['urn:a'], ...eventFields, command: 'refresh' },
      { event: 'deployment.drift', count: 1, urns: ['urn:a'], command: 'refresh' },
    ],
  ])('the payload of the event $kind names the event and its details', (event, part) => {
    expect(JSON.parse(payloadOf(event))).toMatchObject(part)
  })

  test('the payload of a large drift names a hundred resources and the count of all', () => {
    const urns = Array.from({ length: 5000 }, (_, index) => `urn:${index}`)
    const payload = JSON.parse(payloadOf({ kind: 'drift', count: 5000, urns, ...eventFields }))
    expect(payload.urns).toHaveLength(100)
    expect(payload.count).toBe(5000)
  })

  test('a notification applies to its events and its stack, and to none while it is paused', () => {
    const other = { ...key, scope: 'organization/shop/dev' as StackId }
    expect(isNotificationFor(key, value, failed)).toBe(true)
    expect(isNotificationFor({ ...key, scope: stack }, value, failed)).toBe(true)
    expect(isNotificationFor(other, value, failed)).toBe(false)
    expect(isNotificationFor(key, value, { kind: 'started', ...eventFields })).toBe(false)
    expect(isNotificationFor(key, { ...value, isPaused: true }, failed)).toBe(false)
  })

  test("the receiver's status decides between delivered, retry and dead", async () => {
    const sendForStatus = async (status: number, headers = {}) => {
      receiver.state.answer = () => ({ status, headers })
      return send(failed)
    }
    for (const status of [200, 202, 204])
      expect((await sendForStatus(status)).kind).toBe('delivered')
    for (const status of [408, 425, 429, 500, 503])
      expect((await sendForStatus(status)).kind).toBe('retry')
    for (const status of [301, 307, 400, 401, 404, 410, 413])
      expect((await sendForStatus(status)).kind).toBe('dead')
    expect(await sendForStatus(503, { 'retry-after': '120' })).toMatchObject({ afterMs: 120_000 })
    expect(await sendForStatus(503, { 'retry-after': '999999' })).toMatchObject({
      afterMs: triggerLimits.notificationRetryMaxMs,
    })
    expect(await sendForStatus(503, { 'retry-after': 'soon' })).toMatchObject({ afterMs: 10_000 })
  })

  test('a redirect is not followed, so it cannot reach internal addresses', async () => {
    const count = receiver.received.length
    receiver.state.answer = () => ({ status: 302, headers: { location: `${receiver.origin}/in` } })
    expect((await send(failed)).kind).toBe('dead')
    expect(receiver.received).toHaveLength(count + 1)
  })

  test('the history has each delivery once, with its last response, and never the secret', async () => {
    clearHistory()
    receiver.state.answer = () => ({ status: 503, body: 'busy', headers: { 'x-a': 'b' } })
    await send(failed)
    receiver.state.answer = () => ({ status: 200, body: 'fine\u001b[2J' })
    await send(failed, 2)
    await send({ kind: 'started', ...eventFields })
    const deliveries = await readDeliveryHistory(documents, key)
    expect(history.stored).toMatchObject({ key: { ...key, kind: 'delivery-history' } })
    expect(deliveries).toMatchObject([
      { kind: 'deployment', status: 200 },
      { status: 200, responseText: 'fine\\u{1b}[2J', url: value.url, body: payloadOf(failed) },
    ])
    expect(deliveries[1]?.requestHeaders).toMatchObject({ 'antichain-delivery': deliveries[1]?.id })
    expect(JSON.stringify(history.stored)).not.toContain(secret)
  })

  test('a history has a limited number of deliveries, and a limited size with the largest payloads', async () => {
    clearHistory()
    const urns = Array.from({ length: 100 }, () => 'urn:'.padEnd(250, 'ü'))
    receiver.state.answer = () => ({ status: 200, body: 'ü'.repeat(20_000) })
    for (let number = 1; number <= triggerLimits.deliveriesMax + 1; number += 1) {
      const deployment = `${stack}/${number}` as DeploymentId
      await send({ kind: 'drift', count: 100, urns, ...eventFields, deployment })
    }
    const large = await readDeliveryHistory(documents, key)
    expect(large[0]).toHaveProperty('isCut', true)
    expect(large[0]?.body.length).toBe(triggerLimits.deliveryPayloadCharsMax)
    const sizeBytes = Buffer.byteLength(JSON.stringify(history.stored?.value))
    expect(sizeBytes).toBeLessThan(triggerLimits.deliveriesBytesMax + 100)
    receiver.state.answer = () => ({ status: 200 })
    for (let number = 1; number <= triggerLimits.deliveriesMax + 1; number += 1)
      await send({ ...failed, deployment: `${stack}/${number}` as DeploymentId })
    const small = await readDeliveryHistory(documents, key)
    expect(small).toHaveLength(triggerLimits.deliveriesMax)
    expect(small[0]?.body).toContain(`${stack}/${triggerLimits.deliveriesMax + 1}`)
  })

  test('a delivery that cannot be recorded, or whose response breaks off, counts as delivered', async () => {
    history.isDown = true
    expect(await send(failed)).toEqual({ kind: 'delivered' })
    history.isDown = false
    receiver.state.answer = () => ({ status: 200, headers: { 'content-length': '9' }, body: 'a' })
    expect(await send(failed)).toEqual({ kind: 'delivered' })
  })

  test('the number of attempts is limited, and their pauses grow', () => {
    const failedAttempt = { kind: 'failed', why: 'down' } as const
    const verdicts = Array.from({ length: triggerLimits.notificationAttemptsMax }, (_, index) =>
      evaluateAttempt(failedAttempt, index + 1),
    )
    expect(verdicts.pop()).toEqual({ kind: 'dead', why: 'down' })
    const pausesMs = verdicts.map(verdict => (verdict.kind === 'retry' ? verdict.afterMs : 0))
    expect(pausesMs).toEqual(pausesMs.toSorted((a, b) => a - b))
    expect(pausesMs[0]).toBe(10_000)
    expect(pausesMs.at(-1)).toBe(3_600_000)
  })

  test('a delivery to a private address becomes a dead letter immediately, and one without a response is retried', async () => {
    const strict = createOutbound({ isHttpAllowed: true })
    expect(await send(failed, 1, strict)).toMatchObject({ kind: 'dead' })
    const gone = createOutbound({ isHttpAllowed: true, resolve: async () => [] })
    const { url } = value
    value = { ...value, url: 'http://gone.test/?token=of-the-address' }
    const answer = await send(failed, 1, gone)
    value = { ...value, url }
    expect(answer).toMatchObject({ kind: 'retry', afterMs: 10_000 })
    expect(JSON.stringify(answer)).not.toContain('of-the-address')
  })
})
