import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { messageOf } from '../../errors/error.ts'
import type { DocumentKey, DocumentsPort } from '../../ports/documents.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { deliveryKinds } from './pulumi-filters.ts'

/**
 * A delivery as it was sent, with the response of the receiver. Its headers have the signature of
 * the body, and never the secret.
 */
export const sentDeliveryForm = z.object({
  id: z.string(),
  kind: z.enum(deliveryKinds),
  body: z.string(),
  /** Whether `body` is only the beginning of the payload. */
  isCut: z.boolean().optional(),
  sentAt: z.number(),
  durationMs: z.number(),
  url: z.string(),
  requestHeaders: z.record(z.string(), z.string()),
  /** 0: the receiver did not respond. */
  status: z.number(),
  responseHeaders: z.record(z.string(), z.string()),
  /** The beginning of the response, or the reason why there is none. */
  responseText: z.string(),
})

/** A delivery as it was sent, with the response of the receiver. */
export type SentDelivery = z.infer<typeof sentDeliveryForm>

const historyDocument = z.object({ deliveries: z.array(sentDeliveryForm) })

/** Returns the key of the history of a notification. */
function historyKeyOf({ scope, name }: DocumentKey): DocumentKey {
  return { kind: 'delivery-history', scope, name }
}

/** Returns the last deliveries of a notification, the latest first. */
export async function readDeliveryHistory(
  documents: Pick<DocumentsPort, 'get'>,
  key: DocumentKey,
): Promise<readonly SentDelivery[]> {
  return parseHistory((await documents.get(historyKeyOf(key)))?.value)
}

/** Parses a history. A malformed history counts as empty, and the next delivery replaces it. */
function parseHistory(value: unknown): readonly SentDelivery[] {
  return historyDocument.safeParse(value).data?.deliveries ?? []
}

/**
 * Adds a delivery to the history of its notification. The new entry replaces an earlier attempt to
 * send the same delivery. A failure of this function is only logged, because the delivery itself
 * was sent.
 */
export async function recordDelivery(
  {
    documents,
    logger,
  }: { readonly documents: Pick<DocumentsPort, 'get' | 'put'>; readonly logger: LoggerPort },
  key: DocumentKey,
  delivery: SentDelivery,
): Promise<void> {
  const historyKey = historyKeyOf(key)
  try {
    for (let attempt = 1; attempt <= triggerLimits.deliveryHistoryAttemptsMax; attempt += 1) {
      const stored = await documents.get(historyKey)
      const deliveries = addDelivery(parseHistory(stored?.value), delivery)
      const version = await documents.put(historyKey, { deliveries }, stored?.version ?? 0)
      if (version !== false) return
    }
    logger.write('warn', 'delivery.unrecorded', { id: delivery.id, why: 'concurrent changes' })
  } catch (thrown) {
    logger.write('warn', 'delivery.unrecorded', { id: delivery.id, why: messageOf(thrown) })
  }
}

/** Returns a history with a further delivery, within the limits of a history. */
function addDelivery(
  history: readonly SentDelivery[],
  delivery: SentDelivery,
): readonly SentDelivery[] {
  const charsMax = triggerLimits.deliveryPayloadCharsMax
  const isCut = delivery.body.length > charsMax
  const newest = isCut ? { ...delivery, body: delivery.body.slice(0, charsMax), isCut } : delivery
  const others = history.filter(({ id }) => id !== delivery.id)
  const deliveries = [newest, ...others].slice(0, triggerLimits.deliveriesMax)
  const computeSizeBytes = (): number => Buffer.byteLength(JSON.stringify(deliveries))
  while (deliveries.length > 1 && computeSizeBytes() > triggerLimits.deliveriesBytesMax)
    deliveries.pop()
  return deliveries
}

/** Removes the history of a removed notification. */
export async function removeDeliveryHistory(
  documents: Pick<DocumentsPort, 'get' | 'remove'>,
  key: DocumentKey,
): Promise<void> {
  const historyKey = historyKeyOf(key)
  const stored = await documents.get(historyKey)
  if (stored !== undefined) await documents.remove(historyKey, stored.version)
}
