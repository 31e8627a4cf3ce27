import { z } from 'zod'
import type { Handler } from '../attach.ts'
import type { Local } from '../local-port.ts'
import type { Session } from '../session.ts'
import { tableOf } from '../table.ts'

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
function warnHere(session: Session, { remote }: Local): void {
  if (remote === undefined)
    session.warn(
      'Letters of this machine are kept by `antichain serve`: log in to its API to see them.',
    )
}

/** `notification dead`: what nobody could be told, after all attempts. */
export const notificationDead: Handler = async (session, flags) => {
  const local = await session.local()
  const { api } = local
  warnHere(session, local)
  const said = await api({ method: 'GET', path: '/v1/dead-notifications?limit=100' })
  const { items } = letters.parse(said)
  if (flags.is('json')) {
    session.print(JSON.stringify(items, null, 2))
    return 0
  }
  const rows = items.map(({ to, stack, about, deployment, request }) => [
    ...[to, stack, about],
    deployment ?? request ?? '',
  ])
  for (const line of tableOf(['TO', 'STACK', 'ABOUT', 'OF'], rows)) session.print(line)
  return 0
}

/** `notification redrive`: has all of them sent again. */
export const notificationRedrive: Handler = async session => {
  const local = await session.local()
  const { api } = local
  warnHere(session, local)
  const path = '/v1/dead-notifications/redrive'
  const { sent } = z.object({ sent: z.int() }).parse(await api({ method: 'POST', path }))
  session.warn(sent === 0 ? 'Nothing was given up.' : `${sent} are sent again.`)
  return 0
}
