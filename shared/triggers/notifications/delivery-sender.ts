import { createError } from '../../errors/error.ts'
import { toPrintable } from '../printable.ts'
import { readDeliveryHistory, recordDelivery, type SentDelivery } from './delivery-history.ts'
import { pingPayloadOf } from './pulumi-payload.ts'
import { type KeyedNotification, sendDelivery, type SendPorts } from './send-delivery.ts'

/** Sends deliveries on request, once and without retries, and returns the response. */
export interface DeliverySender {
  /** Sends a test delivery with an id. */
  readonly ping: (notification: KeyedNotification, id: string) => Promise<SentDelivery>
  /** Repeats the delivery with the id `id`. Throws DOCUMENT_UNKNOWN and DOCUMENT_INVALID. */
  readonly redeliver: (notification: KeyedNotification, id: string) => Promise<SentDelivery>
}

/** Creates the sender of a process that may open the secrets of notifications. */
export function createDeliverySender(ports: DeliverySenderPorts): DeliverySender {
  return {
    ping: (notification, id) => pingNotification(ports, notification, id),
    redeliver: (notification, id) => redeliverNotification(ports, notification, id),
  }
}

/** The ports that send a delivery on request. */
type DeliverySenderPorts = SendPorts & Parameters<typeof recordDelivery>[0]

/**
 * Sends one test delivery to the receiver of a notification, without retries. Throws
 * DOCUMENT_INVALID and SEALED_UNREADABLE.
 */
async function pingNotification(
  ports: DeliverySenderPorts,
  notification: KeyedNotification,
  id: string,
): Promise<SentDelivery> {
  const body = pingPayloadOf(notification.key.scope)
  return sendAndRecord(ports, notification, { id, kind: 'ping', body })
}

/**
 * Sends a delivery of the history again, with its id and payload, and without retries. The current
 * secret signs it. Throws DOCUMENT_UNKNOWN for a delivery that the history does not have,
 * DOCUMENT_INVALID for one whose payload was too long to keep, and SEALED_UNREADABLE.
 */
async function redeliverNotification(
  ports: DeliverySenderPorts,
  notification: KeyedNotification,
  id: string,
): Promise<SentDelivery> {
  const delivery = await requireRepeatableDelivery(ports, notification, id)
  return sendAndRecord(ports, notification, delivery)
}

/**
 * Returns the delivery of the history that can be sent again. Throws DOCUMENT_UNKNOWN and
 * DOCUMENT_INVALID.
 */
export async function requireRepeatableDelivery(
  { documents }: { readonly documents: Pick<DeliverySenderPorts['documents'], 'get'> },
  { key }: Pick<KeyedNotification, 'key'>,
  id: string,
): Promise<SentDelivery> {
  const history = await readDeliveryHistory(documents, key)
  const delivery = history.find(entry => entry.id === id)
  const shownId = toPrintable(id, 100)
  if (delivery === undefined)
    throw createError(
      'DOCUMENT_UNKNOWN',
      `the webhook has no delivery '${shownId}' among its last ones`,
    )
  if (delivery.isCut === true)
    throw createError(
      'DOCUMENT_INVALID',
      `the payload of the delivery '${shownId}' was too long to keep`,
    )
  return delivery
}

async function sendAndRecord(
  ports: DeliverySenderPorts,
  notification: KeyedNotification,
  { id, kind, body }: Pick<SentDelivery, 'id' | 'kind' | 'body'>,
): Promise<SentDelivery> {
  const { delivery } = await sendDelivery(ports, notification, { id, kind, body })
  await recordDelivery(ports, notification.key, delivery)
  return delivery
}
