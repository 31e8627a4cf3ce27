import { describe, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type {
  NotificationsPort,
  OutgoingDelivery,
  OutgoingMessage,
} from '../../shared/ports/notifications.ts'
import {
  toEpochMs,
  createDeploymentId,
  createStackId,
  type OpenAdapter,
  withAdapter,
} from './open-adapter.ts'

/** Creates a message that no other test sends. */
function createMessage(): OutgoingMessage & { readonly kind: 'notification' } {
  const deployment = createDeploymentId()
  const stack = createStackId()
  const event = { kind: 'started', stack, deployment, command: 'up', at: toEpochMs(1) } as const
  return { kind: 'notification', key: { kind: 'notification', scope: '*', name: 'a' }, event }
}

/** Tests outgoing messages. `visibilityMs`: time that a received message stays hidden. */
export function defineNotificationsContract(
  name: string,
  open: OpenAdapter<{ readonly notifications: NotificationsPort; readonly visibilityMs: number }>,
): void {
  describe(`notifications: ${name}`, () => {
    let notifications: NotificationsPort
    let visibilityMs = 0
    withAdapter(open, adapter => {
      notifications = adapter.notifications
      visibilityMs = adapter.visibilityMs
    })
    const receiveNext = async (waitMs = 20_000): Promise<OutgoingDelivery | undefined> =>
      (await notifications.receive(1, waitMs))[0]
    const receiptOf = (delivery: OutgoingDelivery | undefined): string => delivery?.receipt ?? ''

    test('a sent message is received by one waiting receiver, and not again after its removal', async () => {
      const sentMessage = createMessage()
      const pendingReceive = receiveNext()
      await notifications.send([sentMessage])
      const delivery = await pendingReceive
      expect(delivery).toMatchObject({ message: sentMessage, deliveries: 1 })
      await notifications.remove(receiptOf(delivery))
      await notifications.remove(receiptOf(delivery))
      expect(await receiveNext(visibilityMs * 2)).toBeUndefined()
    })

    test('a reply keeps all of its fields', async () => {
      const stack = createStackId()
      const sentMessage: OutgoingMessage = {
        kind: 'reply',
        reply: {
          webhook: 'w',
          stack,
          request: 'k',
          repository: 'a/b',
          commit: 'c',
          pullRequest: 7,
          state: 'success',
          description: 'ü',
          lines: ['a', '`b`'],
        },
      }
      await notifications.send([sentMessage])
      const delivery = await receiveNext()
      expect(delivery?.message).toEqual(sentMessage)
      await notifications.remove(receiptOf(delivery))
    })

    test('a received message that is neither removed nor postponed is delivered again', async () => {
      const sentMessage = createMessage()
      await notifications.send([sentMessage])
      expect((await receiveNext())?.deliveries).toBe(1)
      const secondDelivery = await receiveNext()
      expect(secondDelivery).toMatchObject({ message: sentMessage, deliveries: 2 })
      await notifications.remove(receiptOf(secondDelivery))
    })

    test('a postponed message is delivered at its time, and the old receipt is void', async () => {
      await notifications.send([createMessage()])
      const first = await receiveNext()
      await notifications.postpone(receiptOf(first), 0)
      const second = await receiveNext()
      expect(second?.deliveries).toBe(2)
      await notifications.postpone(receiptOf(second), 1_000)
      expect(await receiveNext(Math.min(400, visibilityMs * 2))).toBeUndefined()
      const third = await receiveNext()
      expect(third?.deliveries).toBe(3)
      await notifications.remove(receiptOf(third))
    })

    test('an aborted receive takes no message', async () => {
      const abortController = new AbortController()
      const pendingReceive = notifications.receive(1, 20_000, abortController.signal)
      abortController.abort()
      expect(await pendingReceive).toEqual([])
      await notifications.send([createMessage()])
      expect(await notifications.receive(1, 20_000, abortController.signal)).toEqual([])
      await notifications.remove(receiptOf(await receiveNext()))
    })

    test('an undeliverable message is a dead letter until it is redriven', async () => {
      const sentMessage = createMessage()
      await notifications.send([sentMessage])
      for (let number = 1; number <= triggerLimits.notificationAttemptsMax; number += 1) {
        const delivery = await receiveNext()
        expect(delivery).toMatchObject({ message: sentMessage, deliveries: number })
        await notifications.postpone(receiptOf(delivery), 0)
      }
      expect(await receiveNext(500)).toBeUndefined()
      expect(await notifications.listDeadLetters(10)).toEqual([sentMessage])
      expect(await notifications.redrive()).toBe(1)
      expect(await notifications.listDeadLetters(10)).toEqual([])
      const delivery = await receiveNext()
      expect(delivery).toMatchObject({ message: sentMessage, deliveries: 1 })
      await notifications.remove(receiptOf(delivery))
    })
  })
}
