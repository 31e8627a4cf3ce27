import { z } from 'zod'
import type { OutgoingMessage } from '../../../shared/ports/notifications.ts'
import { pageQuery } from '../pages.ts'
import { defineRoute } from '../define-route.ts'

/** What nobody could be told: to which receiver, and about what; nothing that is secret. */
const letterView = z.object({
  /** The notification by its name, or `reply` for an answer at a repository's host. */
  to: z.string(),
  stack: z.string(),
  /** What happened: `failed`, `drift`, or the state of a reply. */
  about: z.string(),
  deployment: z.string().optional(),
  request: z.string().optional(),
})

/** Dead letters of notifications: looked at, and sent again when their cause is gone. */
export const deadNotificationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/dead-notifications',
    role: 'admin',
    scope: 'installation',
    summary: 'What nobody could be told, after all attempts',
    query: z.object({ limit: pageQuery.limit }),
    output: z.object({ items: z.array(letterView) }),
    run: async ({ notifications }, { query: { limit } }) => ({
      json: { items: (await notifications.listDeadLetters(limit)).map(letterViewOf) },
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/dead-notifications/redrive',
    role: 'admin',
    scope: 'installation',
    summary: 'Send all of them again',
    output: z.object({ sent: z.int() }),
    run: async ({ notifications }) => ({ json: { sent: await notifications.redrive() } }),
  }),
]

function letterViewOf(message: OutgoingMessage): z.infer<typeof letterView> {
  if (message.kind === 'reply') {
    const { stack, state, request } = message.reply
    return { to: 'reply', stack, about: state, request }
  }
  const { key, event } = message
  const { stack, kind, deployment, request } = event
  return {
    ...{ to: key.name, stack, about: kind },
    ...(deployment === undefined ? {} : { deployment }),
    ...(request === undefined ? {} : { request }),
  }
}
