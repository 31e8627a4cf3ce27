import { describe, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type {
  NotificationsPort,
  OutgoingDelivery,
  OutgoingMessage,
} from '../../shared/ports/notifications.ts'
import { epochMs, freshDeployment, freshStack, type Open, whileOpen } from './opened.ts'

/** A message that no other test sends. */
function message(): OutgoingMessage & { readonly kind: 'notification' } {
  const deployment = freshDeployment()
  const stack = freshStack()
  const event = { kind: 'started', stack, deployment, command: 'up', at: epochMs(1) } as const
  return { kind: 'notification', key: { kind: 'notification', scope: '*', name: 'a' }, event }
}

/** What is to be told outside; `visibilityMs`: how long a message is hidden that somebody took. */
export function notificationsContract(
  name: string,
  open: Open<{ readonly notifications: NotificationsPort; readonly visibilityMs: number }>,
): void {
  describe(`notifications: ${name}`, () => {
    let notifications: NotificationsPort
    let visibilityMs = 0
    whileOpen(open, given => {
      notifications = given.notifications
      visibilityMs = given.visibilityMs
    })
    const next = async (waitMs = 20_000): Promise<OutgoingDelivery | undefined> =>
      (await notifications.receive(1, waitMs))[0]
    const receiptOf = (delivery: OutgoingDelivery | undefined): string => delivery?.receipt ?? ''

    test('what was sent comes to one who waits, and once removed not again', async () => {
      const sent = message()
      const waiting = next()
      await notifications.send([sent])
      const delivery = await waiting
      expect(delivery).toMatchObject({ message: sent, deliveries: 1 })
      await notifications.remove(receiptOf(delivery))
      await notifications.remove(receiptOf(delivery))
      expect(await next(visibilityMs * 2)).toBeUndefined()
    })

    test('a reply keeps all that it says', async () => {
      const stack = freshStack()
      const sent: OutgoingMessage = {
        kind: 'reply',
        reply: {
          ...{ webhook: 'w', stack, request: 'k', repository: 'a/b', commit: 'c' },
          ...{ pullRequest: 7, state: 'success', description: 'ü', lines: ['a', '`b`'] },
        },
      }
      await notifications.send([sent])
      const delivery = await next()
      expect(delivery?.message).toEqual(sent)
      await notifications.remove(receiptOf(delivery))
    })

    test('what is taken and neither removed nor postponed comes again', async () => {
      const sent = message()
      await notifications.send([sent])
      expect((await next())?.deliveries).toBe(1)
      const again = await next()
      expect(again).toMatchObject({ message: sent, deliveries: 2 })
      await notifications.remove(receiptOf(again))
    })

    test('what is postponed comes then, and the old receipt is void', async () => {
      await notifications.send([message()])
      const first = await next()
      await notifications.postpone(receiptOf(first), 0)
      const second = await next()
      expect(second?.deliveries).toBe(2)
      await notifications.postpone(receiptOf(second), 1_000)
      expect(await next(Math.min(400, visibilityMs * 2))).toBeUndefined()
      const third = await next()
      expect(third?.deliveries).toBe(3)
      await notifications.remove(receiptOf(third))
    })

    test('who is told to stop takes nothing', async () => {
      const over = new AbortController()
      const waiting = notifications.receive(1, 20_000, over.signal)
      over.abort()
      expect(await waiting).toEqual([])
      await notifications.send([message()])
      expect(await notifications.receive(1, 20_000, over.signal)).toEqual([])
      await notifications.remove(receiptOf(await next()))
    })

    test('what nobody can deliver is a dead letter, until it is sent again', async () => {
      const sent = message()
      await notifications.send([sent])
      for (let number = 1; number <= triggerLimits.notificationAttemptsMax; number += 1) {
        const delivery = await next()
        expect(delivery).toMatchObject({ message: sent, deliveries: number })
        await notifications.postpone(receiptOf(delivery), 0)
      }
      expect(await next(500)).toBeUndefined()
      expect(await notifications.listDeadLetters(10)).toEqual([sent])
      expect(await notifications.redrive()).toBe(1)
      expect(await notifications.listDeadLetters(10)).toEqual([])
      const delivery = await next()
      expect(delivery).toMatchObject({ message: sent, deliveries: 1 })
      await notifications.remove(receiptOf(delivery))
    })
  })
}
