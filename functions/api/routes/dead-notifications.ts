import * as z from 'zod'
import type { OutgoingMessage } from '../../../shared/ports/notifications.ts'
import { pageQuery } from '../../../shared/api/pages.ts'
import { defineRoute } from '../../../shared/api/define-route.ts'

/** An undelivered message: its receiver and its event, without secrets. */
const deadNotificationView = z.object({
  /** The name of the notification, or `reply` for a reply to a repository host. */
  to: z.string(),
  stack: z.string(),
  /** The kind of the event, such as `failed`; the state of a reply; or `ping` or `redelivery`. */
  about: z.string(),
  deployment: z.string().optional(),
  request: z.string().optional(),
})

/**
 * Routes for the dead letters of notifications. An administrator lists them, corrects the cause,
 * and sends them again.
 */
export const deadNotificationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/dead-notifications',
    role: 'admin',
    scope: 'installation',
    summary: 'List notifications that could not be delivered',
    query: z.object({ limit: pageQuery.limit }),
    output: z.object({ items: z.array(deadNotificationView) }),
    run: async ({ notifications }, { query: { limit } }) => ({
      json: { items: (await notifications.listDeadLetters(limit)).map(deadNotificationViewOf) },
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/dead-notifications/redrive',
    role: 'admin',
    scope: 'installation',
    summary: 'Send undelivered notifications again; on AWS at most about 5,000 per call',
    output: z.object({ sent: z.int() }),
    run: async ({ notifications }) => ({ json: { sent: await notifications.redrive() } }),
  }),
]

function deadNotificationViewOf(message: OutgoingMessage): z.infer<typeof deadNotificationView> {
  if (message.kind === 'reply') {
    const { stack, state, request } = message.reply
    return { to: 'reply', stack, about: state, request }
  }
  const { key } = message
  if (message.kind !== 'notification')
    return { to: key.name, stack: key.scope, about: message.kind }
  const { event } = message
  const { stack, kind, deployment, request } = event
  return {
    to: key.name,
    stack,
    about: kind,
    ...(deployment === undefined ? {} : { deployment }),
    ...(request === undefined ? {} : { request }),
  }
}
