import * as z from 'zod'
import { sentDeliveryForm } from '../../shared/triggers/notifications/delivery-history.ts'
import {
  type DeliveryView,
  deliveryViewOf,
} from '../../shared/triggers/notifications/pulumi-webhook.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { parseCount } from '../arguments/parse-count.ts'
import { formatTable } from '../display/table.ts'
import type { CliSession } from '../session/session.ts'
import { notificationPathOf } from '../stack/pulumi-webhooks.ts'

/** Maximum number of characters in a printed line. */
const charsMax = 16_000

/** `stack webhook ping <id>`: sends a test delivery, and shows the response of the receiver. */
export const pingPulumiWebhook: Handler = async (session, flags, [name = '']) => {
  const path = `${notificationPathOf(await session.requireStack(), name)}/ping`
  return sendAndPrint(session, flags, path)
}

/** `stack webhook delivery redeliver <id> <event-id>`: sends a delivery again. */
export const redeliverPulumiWebhook: Handler = async (
  session,
  flags,
  [name = '', delivery = ''],
) => {
  const path = `${notificationPathOf(await session.requireStack(), name)}/deliveries`
  return sendAndPrint(session, flags, `${path}/${encodeURIComponent(delivery)}/redeliver`)
}

/** `stack webhook delivery list <id>`: lists the last deliveries, newest first. */
export const listPulumiWebhookDeliveries: Handler = async (session, flags, [name = '']) => {
  const path = `${notificationPathOf(await session.requireStack(), name)}/deliveries`
  const { callApi } = await session.openEngine()
  const pageForm = z.object({ items: z.array(sentDeliveryForm) })
  const { items } = pageForm.parse(await callApi({ method: 'GET', path }))
  const count = parseCount(flags, 'count') ?? 0
  const deliveries = items.slice(0, count === 0 ? items.length : count).map(deliveryViewOf)
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify({ deliveries, count: deliveries.length }, null, 2))
    return 0
  }
  if (deliveries.length === 0) {
    session.print('This webhook has no deliveries yet.')
    return 0
  }
  const header = ['ID', 'KIND', 'TIMESTAMP', 'DURATION', 'STATUS']
  const rows = deliveries.map(({ id, kind, timestamp, duration, responseCode }) => [
    ...[id, kind, timeTextOf(timestamp), `${duration}ms`, String(responseCode)],
  ])
  for (const line of formatTable(header, rows)) session.print(line)
  const noun = deliveries.length === 1 ? 'delivery' : 'deliveries'
  session.print(`\n${deliveries.length} ${noun}`)
  return 0
}

async function sendAndPrint(session: CliSession, flags: Flags, path: string): Promise<number> {
  const { callApi } = await session.openEngine()
  const delivery = sentDeliveryForm.parse(await callApi({ method: 'POST', path }))
  const view = deliveryViewOf(delivery)
  if (isJsonOutput(flags)) session.print(JSON.stringify(view, null, 2))
  else printDelivery(session, view)
  return 0
}

function printDelivery(session: CliSession, view: DeliveryView): void {
  // A receiver could change the terminal with control characters.
  const printRow = (label: string, text: string): void =>
    session.print(`${`${label}:`.padEnd(18)} ${toPrintable(text, charsMax)}`)
  const printBlock = (label: string, text: string): void => {
    const lines = text.split('\n').filter(line => line.trim() !== '')
    if (lines.length > 0) session.print(`${label}:`)
    for (const line of lines) session.print(`  ${toPrintable(line.trim(), charsMax)}`)
  }
  printRow('ID', view.id)
  printRow('Kind', view.kind)
  printRow('URL', view.requestUrl)
  printRow('Timestamp', timeTextOf(view.timestamp))
  printRow('Duration', `${view.duration}ms`)
  printBlock('Request headers', view.requestHeaders)
  printRow('Payload', view.payload)
  printRow('Response code', String(view.responseCode))
  printBlock('Response body', view.responseBody)
}

function timeTextOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '')
}
