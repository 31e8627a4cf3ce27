import * as z from 'zod'
import type { Handler } from '../arguments/handler.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import type { CliSession } from '../session/session.ts'
import { formatTable } from '../display/table.ts'

const deadLettersForm = z.object({
  items: z.array(
    z.object({
      /** The name of the notification, or `reply` for a reply to a repository host. */
      to: z.string(),
      stack: z.string(),
      /** The kind of the event, or the state of a reply. */
      about: z.string(),
      deployment: z.string().optional(),
      request: z.string().optional(),
    }),
  ),
})

/**
 * Without a login, warns that only the API of `antichain serve` knows this machine's dead letters.
 */
function warnOfLocalDeadLetters(session: CliSession, { remote }: EnginePort): void {
  if (remote === undefined)
    session.printToStderr(
      '`antichain serve` keeps the undelivered notifications of this machine: log in to its API to see them.',
    )
}

/** `notification dead`: lists at most 100 notifications that were not delivered in any attempt. */
export const listDeadNotifications: Handler = async (session, flags) => {
  const engine = await session.openEngine()
  const { callApi } = engine
  warnOfLocalDeadLetters(session, engine)
  const response = await callApi({ method: 'GET', path: '/v1/dead-notifications?limit=100' })
  const { items } = deadLettersForm.parse(response)
  if (flags.isSet('json')) {
    session.print(JSON.stringify(items, null, 2))
    return 0
  }
  const rows = items.map(({ to, stack, about, deployment, request }) => [
    ...[to, stack, about],
    deployment ?? request ?? '',
  ])
  for (const line of formatTable(['NOTIFICATION', 'STACK', 'EVENT', 'SOURCE'], rows))
    session.print(line)
  return 0
}

/**
 * `notification redrive`: sends undelivered notifications again. On AWS, one call sends at most
 * about 5,000.
 */
export const redriveNotifications: Handler = async session => {
  const engine = await session.openEngine()
  const { callApi } = engine
  warnOfLocalDeadLetters(session, engine)
  const path = '/v1/dead-notifications/redrive'
  const { sent } = z.object({ sent: z.int() }).parse(await callApi({ method: 'POST', path }))
  session.printToStderr(
    sent === 0
      ? 'There are no undelivered notifications.'
      : `Sending ${sent} undelivered notifications again.`,
  )
  return 0
}
