import { createError } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { findCoveredFilter } from '../../shared/triggers/notifications/pulumi-filters.ts'
import {
  type PulumiWebhookView,
  readPulumiWebhook,
} from '../../shared/triggers/notifications/pulumi-webhook.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { warnUnservedBackend } from '../backends/warn-unserved-backend.ts'
import type { CliSession } from '../session/session.ts'
import { createDocumentName } from '../stack/create-document-name.ts'
import {
  type NotificationView,
  notificationPathOf,
  printPulumiWebhook,
  readStackNotification,
  webhookViewOfNotification,
} from '../stack/pulumi-webhooks.ts'

/** The fields that a client sends to create or change a webhook. */
type PulumiWebhookFields = Pick<
  PulumiWebhookView,
  'displayName' | 'payloadUrl' | 'active' | 'filters' | 'groups'
> & {
  readonly format: string
}

/** `stack webhook new`: creates a webhook. It asks for a missing name and URL in a terminal. */
export const createPulumiWebhook: Handler = async (session, flags) => {
  const fields: PulumiWebhookFields = {
    displayName: await requireText(session, flags, ['name', 'Name of the webhook:']),
    payloadUrl: await requireText(session, flags, ['url', 'URL that receives the deliveries:']),
    active: flags.text('active') !== 'false',
    format: flags.text('hookFormat') ?? '',
    filters: flags.list('event'),
    groups: flags.list('group'),
  }
  const id = await session.requireStack()
  const secret = flags.text('secret') ?? session.io.env['ANTICHAIN_SECRET'] ?? ''
  const name = createDocumentName('', 4)
  await putStackNotification(session, { id, name }, { fields, secret: secret || undefined })
  warnUnservedBackend(session, 'webhook')
  return printStoredWebhook(session, flags, { id, name })
}

/** `stack webhook edit <id>`: changes the settings that the options name. */
export const editPulumiWebhook: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  const previous = await readStackNotification(session, id, name)
  const view = webhookViewOfNotification(id, previous)
  const fields: PulumiWebhookFields = {
    displayName: flags.text('displayName') ?? view.displayName,
    payloadUrl: flags.text('url') ?? view.payloadUrl,
    active: (flags.text('active') ?? String(view.active)) === 'true',
    format: flags.text('hookFormat') ?? view.format,
    filters: listChangedNames(view.filters, flags.list('addEvent'), flags.list('removeEvent')),
    groups: listChangedNames(view.groups, flags.list('addGroup'), flags.list('removeGroup')),
  }
  const secret = flags.text('secret')
  await putStackNotification(
    session,
    { id, name },
    { fields, previous: previous.value, secret: secret === '' ? null : secret },
  )
  return printStoredWebhook(session, flags, { id, name })
}

async function requireText(
  session: CliSession,
  flags: Flags,
  [option, question]: readonly [string, string],
): Promise<string> {
  const text = flags.text(option)
  if (text !== undefined && text !== '') return text
  const mayAsk = session.mayPrompt && !flags.isSet('yes')
  const answer = mayAsk ? (await session.io.prompt(question)).trim() : ''
  if (answer === '') throw createError('CLI_USAGE', `--${option} is required`)
  return answer
}

/** Returns names without the removed ones, and with the added ones at the end. */
function listChangedNames(
  names: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] {
  return [...new Set([...names.filter(name => !removed.includes(name)), ...added])]
}

/**
 * Stores a webhook as a notification. Without `secret` the previous secret stays, and null removes
 * it. Throws CLI_USAGE for an event that a group contains already, and FEATURE_MISSING for a
 * format, event or group that Antichain does not have.
 */
async function putStackNotification(
  session: CliSession,
  { id, name }: { readonly id: StackId; readonly name: string },
  change: {
    readonly fields: PulumiWebhookFields
    readonly previous?: NotificationView['value']
    readonly secret: string | null | undefined
  },
): Promise<void> {
  const { fields, previous, secret } = change
  const { filters, groups } = fields
  const webhook = readPulumiWebhook(
    { ...fields, filters: [...filters], groups: [...groups] },
    previous,
  )
  const overlap = findCoveredFilter(webhook)
  if (overlap !== undefined)
    throw createError(
      'CLI_USAGE',
      `the group '${overlap.group}' already contains the event '${overlap.filter}'; remove one`,
    )
  const body = { ...webhook, ...(secret === undefined ? {} : { secret }) }
  const { callApi } = await session.openEngine()
  await callApi({ method: 'PUT', path: notificationPathOf(id, name), body })
}

async function printStoredWebhook(
  session: CliSession,
  flags: Flags,
  { id, name }: { readonly id: StackId; readonly name: string },
): Promise<number> {
  printPulumiWebhook(
    session,
    flags,
    webhookViewOfNotification(id, await readStackNotification(session, id, name)),
  )
  return 0
}
