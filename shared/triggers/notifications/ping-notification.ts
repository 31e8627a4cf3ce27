import { error } from '../../errors/error.ts'
import { toPrintable } from '../printable.ts'
import { readDeliveryHistory, recordDelivery, type SentDelivery } from './delivery-history.ts'
import { pingPayloadOf } from './pulumi-payload.ts'
import { type KeyedNotification, sendDelivery, type SendPorts } from './send-delivery.ts'

/** The ports that send a delivery on request. */
export type PingPorts = SendPorts & Parameters<typeof recordDelivery>[0]

/**
 * Sends one test delivery to the receiver of a notification, without retries. Throws
 * DOCUMENT_INVALID and SEALED_UNREADABLE.
 */
export async function pingNotification(
  ports: PingPorts,
  notification: KeyedNotification,
  id: string,
): Promise<SentDelivery> {
  const body = pingPayloadOf(notification.key.scope)
  return sendAndRecord(ports, notification, { id, kind: 'ping', body })
}

/**
 * Sends a delivery of the history again, with its id and payload, and without retries. The
 * signature is that of the current secret. Throws DOCUMENT_UNKNOWN for a delivery that the history
 * does not have, DOCUMENT_INVALID for one whose payload was too long to keep, and
 * SEALED_UNREADABLE.
 */
export async function redeliverNotification(
  ports: PingPorts,
  notification: KeyedNotification,
  id: string,
): Promise<SentDelivery> {
  const history = await readDeliveryHistory(ports.documents, notification.key)
  const delivery = history.find(kept => kept.id === id)
  const shownId = toPrintable(id, 100)
  if (delivery === undefined)
    throw error('DOCUMENT_UNKNOWN', `the webhook has no delivery '${shownId}' among its last ones`)
  if (delivery.isCut === true)
    throw error('DOCUMENT_INVALID', `the payload of the delivery '${shownId}' was too long to keep`)
  return sendAndRecord(ports, notification, delivery)
}

async function sendAndRecord(
  ports: PingPorts,
  notification: KeyedNotification,
  { id, kind, body }: Pick<SentDelivery, 'id' | 'kind' | 'body'>,
): Promise<SentDelivery> {
  const { delivery } = await sendDelivery(ports, notification, { id, kind, body })
  await recordDelivery(ports, notification.key, delivery)
  return delivery
}
