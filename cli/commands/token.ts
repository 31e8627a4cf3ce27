import { z } from 'zod'
import { error } from '../../shared/errors/error.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { formatTable } from '../display/table.ts'

const tokenForm = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})

/** `token create`: creates a token, and prints its secret text to standard output only. */
export const createApiToken: Handler = async (session, flags, [name]) => {
  const isAdmin = flags.isSet('admin')
  const role = isAdmin ? 'admin' : flags.text('role')
  if (role === undefined)
    throw error('CLI_USAGE', 'pass the role of the token with --role, or pass --admin')
  if (isAdmin && flags.text('role') !== undefined)
    throw error('CLI_USAGE', '--admin and --role cannot be used together')
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
  // --admin creates the first token in the store, because the API accepts no call without a token.
  const { callApi } = isAdmin ? await session.openLocalEngine() : await session.openEngine()
  const answer = await callApi({ method: 'POST', path: '/v1/tokens', body })
  const createdToken = tokenForm.extend({ token: z.string() }).parse(answer)
  session.print(flags.isSet('json') ? JSON.stringify(createdToken, null, 2) : createdToken.token)
  session.printToStderr(
    `Created token ${createdToken.id} ('${createdToken.name}', ${role}). It is not shown again.`,
  )
  return 0
}

/** `token ls`: lists the tokens, without their secrets. */
export const listTokens: Handler = async (session, flags) => {
  const tokens = await listAllItems(await session.openEngine(), '/v1/tokens', tokenForm)
  if (flags.isSet('json')) {
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

/** `token revoke`: revokes a token. */
export const revokeToken: Handler = async (session, _flags, [id = '']) => {
  const { callApi } = await session.openEngine()
  if (!/^[0-9a-f]{16}$/.test(id))
    throw error(
      'CLI_USAGE',
      `'${id.length > 8 ? `${id.slice(0, 4)}…` : id}' is not a token id; list tokens with \`antichain token ls\``,
    )
  await callApi({ method: 'DELETE', path: `/v1/tokens/${id}` })
  session.printToStderr(`Revoked token ${id}.`)
  return 0
}
