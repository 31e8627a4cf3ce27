import { triggerLimits } from '../../config/trigger-limits.ts'
import { hasCode, messageOf } from '../../errors/error.ts'
import type { DocumentKey, SealingPort } from '../../ports/documents.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ClockPort } from '../../ports/system.ts'
import { toPrintable, toPrintableLines } from '../printable.ts'
import { deliveryHeadersOf, openSecret } from './deliver-notification.ts'
import type { Notification } from './notification-document.ts'
import { pingPayloadOf } from './pulumi-payload.ts'

/** The result of a test delivery. `status` 0: the receiver did not respond. */
export interface PingResult {
  readonly id: string
  readonly body: string
  readonly sentAt: number
  readonly durationMs: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The begin of the response, or the reason why there is none. */
  readonly responseText: string
}

/** Maximum length of the reported response. */
const responseBytesMax = 16 * 1024

/**
 * Sends one test delivery to the receiver of a notification, without retries. Throws
 * OUTBOUND_REFUSED for a forbidden address, DOCUMENT_INVALID and SEALED_UNREADABLE.
 */
export async function pingNotification(
  {
    outbound,
    sealing,
    clock,
  }: {
    readonly outbound: OutboundPort
    readonly sealing: Pick<SealingPort, 'open'>
    readonly clock: ClockPort
  },
  { key, value }: { readonly key: DocumentKey; readonly value: Notification },
  id: string,
): Promise<PingResult> {
  const secret = await openSecret(sealing, key, value)
  const body = pingPayloadOf(key.scope)
  const sentAt = clock.now()
  const timestamp = String(Math.floor(sentAt / 1000))
  const headers = deliveryHeadersOf(value, { id, kind: 'ping', body, secret, timestamp })
  const startedMs = clock.monotonicMs()
  const timeoutMs = triggerLimits.notificationTimeoutMs
  const response = await callReceiver(outbound, { url: value.url, headers, body, timeoutMs })
  const durationMs = Math.round(clock.monotonicMs() - startedMs)
  return { id, body, sentAt, durationMs, requestHeaders: headers, ...response }
}

async function callReceiver(
  outbound: OutboundPort,
  request: Omit<Parameters<OutboundPort['call']>[0], 'method'>,
): Promise<Pick<PingResult, 'status' | 'responseHeaders' | 'responseText'>> {
  try {
    return await outbound.call(
      { method: 'POST', ...request },
      async ({ status, headers, body }) => ({
        status,
        responseHeaders: Object.fromEntries(
          [...headers].map(([name, text]) => [name, toPrintable(text, 1_000)]),
        ),
        responseText: await readBegin(body),
      }),
    )
  } catch (thrown) {
    if (!hasCode(thrown, 'OUTBOUND_FAILED')) throw thrown
    const responseText = toPrintable(messageOf(thrown), 300)
    return { status: 0, responseHeaders: {}, responseText }
  }
}

async function readBegin(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes >= responseBytesMax) break
  }
  // The text reaches the terminal of a user, and the receiver chose it.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, responseBytesMax))
  return toPrintableLines(text, { linesMax: 100, charsMax: 1_000 })
}
