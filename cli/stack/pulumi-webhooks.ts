import * as z from 'zod'
import type { StackId } from '../../shared/records/ids.ts'
import {
  type Notification,
  notificationDocument,
} from '../../shared/triggers/notifications/notification-document.ts'
import {
  type PulumiWebhookView,
  pulumiWebhookViewOf,
} from '../../shared/triggers/notifications/pulumi-webhook.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { Flags } from '../arguments/flags.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'

/** A notification as the API returns it: without its secret. */
export const notificationView = z
  .object({ name: z.string(), value: z.looseObject({ hasSecret: z.boolean() }) })
  .transform(({ name, value: { hasSecret, ...fields } }) => {
    const value: Omit<Notification, 'secret' | 'secretScope'> = notificationDocument.parse(fields)
    return { name, value, hasSecret }
  })

/** A notification of a stack. Pulumi's command line calls it a webhook. */
export type NotificationView = z.infer<typeof notificationView>

/** Returns the path of a notification of a stack at the API. */
export function notificationPathOf(id: StackId, name: string): string {
  return `${stackPathOf(id)}/notifications/${encodeURIComponent(name)}`
}

/** Reads a notification of a stack. Throws DOCUMENT_UNKNOWN. */
export async function readStackNotification(
  session: CliSession,
  id: StackId,
  name: string,
): Promise<NotificationView> {
  const { callApi } = await session.openEngine()
  return notificationView.parse(
    await callApi({ method: 'GET', path: notificationPathOf(id, name) }),
  )
}

/** Returns a notification as Pulumi's command line shows webhooks. */
export function webhookViewOfNotification(
  id: StackId,
  { name, value, hasSecret }: NotificationView,
): PulumiWebhookView {
  return pulumiWebhookViewOf({ scope: id, name }, value, hasSecret)
}

/** Returns the JSON with which lists of Pulumi's command line show a webhook. */
export function toWebhookListJson(webhook: PulumiWebhookView): object {
  return {
    id: webhook.name,
    name: webhook.displayName,
    url: webhook.payloadUrl,
    format: webhook.format,
    active: webhook.active,
    eventGroups: webhook.groups,
    events: webhook.filters,
  }
}

/** Prints a webhook as text, or as JSON in the format of Pulumi's command line. */
export function printPulumiWebhook(
  session: CliSession,
  flags: Flags,
  webhook: PulumiWebhookView,
): void {
  const { name, displayName, payloadUrl, format, active, groups, filters, hasSecret } = webhook
  const { organizationName, projectName = '', stackName = '' } = webhook
  if (isJsonOutput(flags)) {
    const json = {
      organizationName,
      projectName,
      stackName,
      envName: '',
      ...toWebhookListJson(webhook),
      hasSecret,
      secretCiphertext: '',
    }
    return session.print(JSON.stringify(json, null, 2))
  }
  const rows = [
    ['ID', name],
    ['Name', displayName],
    ['Organization', organizationName],
    ['Project', projectName],
    ['Stack', stackName],
    ['URL', payloadUrl],
    ['Format', format],
    ['Event groups', groups.join(', ')],
    ['Events', filters.join(', ')],
    ['Active', active ? 'yes' : 'no'],
    ['Has secret', hasSecret ? 'yes' : 'no'],
  ] as const
  for (const [label, text] of rows)
    if (text !== '') session.print(`${`${label}:`.padEnd(18)} ${text}`)
}
