import { expect, test } from 'vitest'
import type { DocumentKey } from '../../ports/documents.ts'
import type { OutgoingMessage } from '../../ports/notifications.ts'
import { silentLogger } from '../../platform/system/logger.ts'
import { recordDelivery, type SentDelivery } from './delivery-history.ts'
import { notificationDocument } from './notification-document.ts'
import { createQueuedSender } from './queued-sender.ts'

// The sender has no secrets of notifications. It queues each delivery, and waits until the process
// with the secrets has recorded it.

const key: DocumentKey = { kind: 'notification', scope: '*', name: 'ops' }
const url = 'https://example.com/'
const notification = {
  key,
  value: notificationDocument.parse({ url, format: 'pulumi', events: ['failed'] }),
}
const sent = { id: 'd', kind: 'ping', body: '{}', sentAt: 1, durationMs: 1 } as const
const response = { url, requestHeaders: {}, status: 200, responseHeaders: {}, responseText: '' }
const delivery: SentDelivery = { ...sent, ...response }

/**
 * Opens a sender. `onSleep` is called during each wait with the number of the wait, and may record
 * a delivery.
 */
function openSender(onSleep: (count: number) => Promise<void> = async () => undefined) {
  let stored: { readonly version: number; readonly value: unknown } | undefined
  const documents = {
    get: async (historyKey: DocumentKey) =>
      stored === undefined ? undefined : { key: historyKey, ...stored },
    put: async (_historyKey: DocumentKey, value: unknown, version: number) => {
      stored = { version: version + 1, value }
      return version + 1
    },
  }
  const messages: OutgoingMessage[] = []
  let [nowMs, sleeps] = [0, 0]
  const sender = createQueuedSender({
    notifications: { send: async batch => void messages.push(...batch) },
    documents,
    clock: {
      monotonicMs: () => nowMs,
      sleep: async ms => {
        nowMs += ms
        sleeps += 1
        await onSleep(sleeps)
      },
    },
    random: { uuid: () => `request ${messages.length}` },
  })
  const record = (sentDelivery: SentDelivery): Promise<void> =>
    recordDelivery({ documents, logger: silentLogger }, key, sentDelivery)
  return { sender, messages, record }
}

test('a test delivery is a message, and its result is read from the history', async () => {
  const opened = openSender(async count => {
    if (count === 3) await opened.record(delivery)
  })
  expect(await opened.sender.ping(notification, 'd')).toEqual(delivery)
  expect(opened.messages).toEqual([{ kind: 'ping', key, id: 'd' }])
})

test('the result of a redelivery is the next attempt, and not the one that the history had before', async () => {
  const opened = openSender(async count => {
    if (count === 2) await opened.record({ ...delivery, sentAt: 2, status: 500 })
  })
  await opened.record(delivery)
  expect(await opened.sender.redeliver(notification, 'd')).toMatchObject({ sentAt: 2, status: 500 })
  const [message] = opened.messages
  expect(message).toEqual({ kind: 'redelivery', key, id: 'd', request: 'request 0' })
})

test('the redelivery of a delivery that the history lacks or has only in part is refused', async () => {
  const { sender, messages, record } = openSender()
  await record({ ...delivery, body: 'x'.repeat(20_000) })
  const refusals = [
    ['none', 'DOCUMENT_UNKNOWN'],
    ['d', 'DOCUMENT_INVALID'],
  ] as const
  for (const [id, code] of refusals)
    await expect(sender.redeliver(notification, id)).rejects.toMatchObject({ code })
  expect(messages).toEqual([])
})

test('a delivery that no process sends ends with an error', async () => {
  await expect(openSender().sender.ping(notification, 'd')).rejects.toMatchObject({
    code: 'DELIVERY_UNCONFIRMED',
  })
})
