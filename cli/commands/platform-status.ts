import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../attach.ts'
import type { PlatformLook } from '../platform/platform-port.ts'
import { whereOf } from '../platform/where.ts'
import { tableOf } from '../table.ts'

/** `platform status`: what is there, what waits, what was given up. Fails when nothing is there. */
export const platformStatus: Handler = async (session, flags) => {
  const where = whereOf(session, flags)
  const tools = await session.tools.platform(session.io.stderr)
  const account = await tools.account(where)
  const look = await tools.look(where, account)
  if (isNothing(look))
    throw error(
      'PLATFORM_NOT_FOUND',
      `there is no installation '${where.installation}' in account ${account}, ${where.region}`,
    )
  const { installation, region } = where
  if (flags.is('json'))
    session.print(JSON.stringify({ installation, account, region, ...look }, undefined, 2))
  else for (const line of linesOf(look)) session.print(line)
  return 0
}

function isNothing({ tables, queues, bucket }: PlatformLook): boolean {
  const absent =
    tables.every(({ status }) => status === undefined) &&
    queues.every(({ counts }) => counts === undefined)
  return absent && !bucket.isThere
}

function linesOf({ tables, queues, bucket, apiUrl, webhookUrl }: PlatformLook): readonly string[] {
  return [
    ...tableOf(
      ['PART', 'STATE'],
      [
        ...tables.map(({ name, status, isProtected }) => [
          name,
          status === undefined ? missing : `${status}${isProtected ? '' : ', not protected'}`,
        ]),
        [bucket.name, bucket.isThere ? 'there' : missing],
        ['API', apiUrl ?? missing],
        ['webhooks', webhookUrl ?? missing],
      ],
    ),
    '',
    ...tableOf(
      ['QUEUE', 'WAITING', 'IN HAND', 'DEAD'],
      queues.map(({ name, counts }) =>
        counts === undefined
          ? [name, missing]
          : [name, String(counts.waiting), String(counts.held), String(counts.dead)],
      ),
    ),
  ]
}

const missing = 'missing'
