import { z } from 'zod'
import { error } from '../../shared/errors/error.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { formatTable } from '../display/table.ts'

const viewForm = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})

/** `token create`: makes a token; its text goes to standard output, and nowhere else. */
export const createApiToken: Handler = async (session, flags, [name]) => {
  const isAdmin = flags.is('admin')
  const role = isAdmin ? 'admin' : flags.text('role')
  if (role === undefined)
    throw error('CLI_USAGE', 'say what the token may do: with --role, or with --admin')
  if (isAdmin && flags.text('role') !== undefined)
    throw error('CLI_USAGE', '--admin is a role of its own: leave --role out')
  const stacks = flags.list('for')
  const days = flags.text('days')
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days))
    throw error('CLI_USAGE', `--days takes a number from 1 to 9999, not '${days}'`)
  const body = {
    name: name ?? role,
    role,
    ...(stacks.length === 0 ? {} : { stacks }),
    ...(days === undefined ? {} : { days: Number(days) }),
  }
  // The first one is made where the store is: there is none yet to ask an API with.
  const { callApi } = isAdmin ? await session.openLocalEngine() : await session.openEngine()
  const answer = await callApi({ method: 'POST', path: '/v1/tokens', body })
  const made = viewForm.extend({ token: z.string() }).parse(answer)
  session.print(flags.is('json') ? JSON.stringify(made, null, 2) : made.token)
  session.warn(`This is token ${made.id} ('${made.name}', ${role}). It is not shown again.`)
  return 0
}

/** `token ls`: the tokens, without what proves them. */
export const listTokens: Handler = async (session, flags) => {
  const tokens = await listAllItems(await session.openEngine(), '/v1/tokens', viewForm)
  if (flags.is('json')) {
    session.print(JSON.stringify(tokens, null, 2))
    return 0
  }
  const rows = tokens.map(({ id, name, role, stacks, expiresAt }) => [
    id,
    name,
    role,
    stacks === '*' ? 'all' : stacks.join(', '),
    expiresAt === undefined ? 'never' : new Date(expiresAt).toISOString(),
  ])
  for (const line of formatTable(['ID', 'NAME', 'ROLE', 'STACKS', 'EXPIRES'], rows))
    session.print(line)
  return 0
}

/** `token revoke`: has a token let nobody in any more. */
export const revokeToken: Handler = async (session, _flags, [id = '']) => {
  const { callApi } = await session.openEngine()
  if (!/^[0-9a-f]{16}$/.test(id))
    throw error(
      'CLI_USAGE',
      `'${id.length > 8 ? `${id.slice(0, 4)}…` : id}' is no id of a token; see \`antichain token ls\``,
    )
  await callApi({ method: 'DELETE', path: `/v1/tokens/${id}` })
  session.warn(`Token ${id} was revoked.`)
  return 0
}
