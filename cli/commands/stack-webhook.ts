import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import { confirm } from '../session/session.ts'
import {
  notificationView,
  notificationPathOf,
  printPulumiWebhook,
  toWebhookListJson,
  readStackNotification,
  webhookViewOfNotification,
} from '../stack/pulumi-webhooks.ts'

/**
 * `stack webhook list`: lists the webhooks of a stack as Pulumi's command line does. Antichain
 * stores these webhooks as notifications.
 */
export const listPulumiWebhooks: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const path = `${stackPathOf(id)}/notifications`
  const documents = await listAllItems(await session.openEngine(), path, notificationView)
  const views = documents.map(document => webhookViewOfNotification(id, document))
  if (isJsonOutput(flags)) {
    const webhooks = views.map(toWebhookListJson)
    session.print(JSON.stringify({ webhooks, count: webhooks.length }, null, 2))
    return 0
  }
  if (views.length === 0) {
    session.print('No webhooks are configured for this stack.')
    return 0
  }
  const header = ['ID', 'NAME', 'URL', 'FORMAT', 'EVENT GROUPS', 'EVENTS', 'ACTIVE']
  const rows = views.map(({ name, displayName, payloadUrl, format, groups, filters, active }) => [
    ...[name, displayName, payloadUrl, format],
    ...[groups.join(', '), filters.join(', '), active ? 'yes' : 'no'],
  ])
  for (const line of formatTable(header, rows)) session.print(line)
  session.print(`\n${formatWithNoun(views.length, 'webhook')}`)
  return 0
}

/** `stack webhook get <id>`: shows one webhook. */
export const showPulumiWebhook: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  printPulumiWebhook(
    session,
    flags,
    webhookViewOfNotification(id, await readStackNotification(session, id, name)),
  )
  return 0
}

/** `stack webhook remove <id>`: removes a webhook after a confirmation. */
export const removePulumiWebhook: Handler = async (session, flags, [name = '']) => {
  const id = await session.requireStack()
  const question = { text: `This removes the webhook '${name}'.`, answer: name }
  if (!(await confirm(session, flags.isSet('yes'), question)))
    throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
  const { callApi } = await session.openEngine()
  await callApi({ method: 'DELETE', path: notificationPathOf(id, name) })
  session.print(`Removed webhook '${name}'.`)
  return 0
}
