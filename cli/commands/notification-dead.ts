import { z } from 'zod'
import type { Handler } from '../arguments/attach-handler.ts'
import type { EnginePort } from '../session/engine-port.ts'
import type { CliSession } from '../session/session.ts'
import { formatTable } from '../display/table.ts'

const letters = z.object({
  items: z.array(
    z.object({
      to: z.string(),
      stack: z.string(),
      about: z.string(),
      deployment: z.string().optional(),
      request: z.string().optional(),
    }),
  ),
})

/** On one machine dead letters are in the memory of the process that serves. */
function warnLocalLetters(session: CliSession, { remote }: EnginePort): void {
  if (remote === undefined)
    session.warn(
      'Letters of this machine are kept by `antichain serve`: log in to its API to see them.',
    )
}

/** `notification dead`: what nobody could be told, after all attempts. */
export const listDeadNotifications: Handler = async (session, flags) => {
  const local = await session.openEngine()
  const { callApi } = local
  warnLocalLetters(session, local)
  const answer = await callApi({ method: 'GET', path: '/v1/dead-notifications?limit=100' })
  const { items } = letters.parse(answer)
  if (flags.is('json')) {
    session.print(JSON.stringify(items, null, 2))
    return 0
  }
  const rows = items.map(({ to, stack, about, deployment, request }) => [
    ...[to, stack, about],
    deployment ?? request ?? '',
  ])
  for (const line of formatTable(['TO', 'STACK', 'ABOUT', 'OF'], rows)) session.print(line)
  return 0
}

/** `notification redrive`: has all of them sent again. */
export const redriveNotifications: Handler = async session => {
  const local = await session.openEngine()
  const { callApi } = local
  warnLocalLetters(session, local)
  const path = '/v1/dead-notifications/redrive'
  const { sent } = z.object({ sent: z.int() }).parse(await callApi({ method: 'POST', path }))
  session.warn(sent === 0 ? 'Nothing was given up.' : `${sent} are sent again.`)
  return 0
}
