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
export const hookDocumentView = z
  .object({ name: z.string(), value: z.looseObject({ hasSecret: z.boolean() }) })
  .transform(({ name, value: { hasSecret, ...fields } }) => {
    const value: Omit<Notification, 'secret' | 'secretScope'> = notificationDocument.parse(fields)
    return { name, value, hasSecret }
  })

/** A notification of a stack. Pulumi's command line calls it a webhook. */
export type HookDocument = z.infer<typeof hookDocumentView>

/** Returns the path of a notification of a stack at the API. */
export function hookPathOf(id: StackId, name: string): string {
  return `${stackPathOf(id)}/notifications/${encodeURIComponent(name)}`
}

/** Reads a notification of a stack. Throws DOCUMENT_UNKNOWN. */
export async function readHookDocument(
  session: CliSession,
  id: StackId,
  name: string,
): Promise<HookDocument> {
  const { callApi } = await session.openEngine()
  return hookDocumentView.parse(await callApi({ method: 'GET', path: hookPathOf(id, name) }))
}

/** Returns a notification as Pulumi's command line shows webhooks. */
export function viewOfHook(
  id: StackId,
  { name, value, hasSecret }: HookDocument,
): PulumiWebhookView {
  return pulumiWebhookViewOf({ scope: id, name }, value, hasSecret)
}

/** Prints a webhook as text, or as JSON in the format of Pulumi's command line. */
export function printHook(session: CliSession, flags: Flags, hook: PulumiWebhookView): void {
  const { name, displayName, payloadUrl, format, active, groups, filters, hasSecret } = hook
  const { organizationName, projectName = '', stackName = '' } = hook
  if (isJsonOutput(flags)) {
    const json = {
      ...{ organizationName, projectName, stackName, envName: '', id: name, name: displayName },
      ...{ url: payloadUrl, format, active, eventGroups: groups, events: filters },
      ...{ hasSecret, secretCiphertext: '' },
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
