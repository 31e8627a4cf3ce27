import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { DocumentsPort } from '../../ports/documents.ts'
import type { NotificationsPort, OutgoingMessage } from '../../ports/notifications.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { readDeliveryHistory, type SentDelivery } from './delivery-history.ts'
import { type DeliverySender, requireRepeatableDelivery } from './delivery-sender.ts'
import type { KeyedNotification } from './send-delivery.ts'

/** The ports of a process that may not open the secrets of notifications. */
interface QueuedSenderPorts {
  readonly notifications: Pick<NotificationsPort, 'send'>
  readonly documents: Pick<DocumentsPort, 'get'>
  readonly clock: Pick<ClockPort, 'monotonicMs' | 'sleep'>
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Creates a sender for a process without secrets. The sender requests the delivery from the process
 * that delivers notifications, and waits until the history has the delivery. Its methods also throw
 * DELIVERY_UNCONFIRMED.
 */
export function createQueuedSender(ports: QueuedSenderPorts): DeliverySender {
  return {
    ping: ({ key }, id) =>
      sendAndAwait(ports, {
        message: { kind: 'ping', key, id },
        key,
        id,
        previousAttempt: undefined,
      }),
    redeliver: async ({ key }, id) => {
      const previousAttempt = await requireRepeatableDelivery(ports, { key }, id)
      const message = { kind: 'redelivery', key, id, request: ports.random.uuid() } as const
      return sendAndAwait(ports, { message, key, id, previousAttempt })
    },
  }
}

/**
 * Sends a message, and waits until the history has an attempt to deliver it. Returns the first
 * attempt in the history that is not `previousAttempt`.
 */
async function sendAndAwait(
  { notifications, documents, clock }: QueuedSenderPorts,
  request: Pick<KeyedNotification, 'key'> & {
    readonly message: OutgoingMessage
    readonly id: string
    readonly previousAttempt: SentDelivery | undefined
  },
): Promise<SentDelivery> {
  const { message, key, id, previousAttempt } = request
  await notifications.send([message])
  const deadlineMs = clock.monotonicMs() + triggerLimits.deliveryConfirmationMs
  while (clock.monotonicMs() < deadlineMs) {
    await clock.sleep(triggerLimits.deliveryCheckMs)
    const delivery = (await readDeliveryHistory(documents, key)).find(entry => entry.id === id)
    if (delivery !== undefined && delivery.sentAt !== previousAttempt?.sentAt) return delivery
  }
  throw createError(
    'DELIVERY_UNCONFIRMED',
    `the delivery was not sent within ${triggerLimits.deliveryConfirmationMs / 1_000} s`,
  )
}
