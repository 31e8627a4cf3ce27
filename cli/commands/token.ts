import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { parseSeconds } from '../arguments/parse-seconds.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import { readTokenDays } from './token-days.ts'

const tokenForm = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})
const issuedTokenForm = tokenForm.extend({ token: z.string() })

/** `token create`: creates a token, and prints its secret text to standard output only. */
export const createApiToken: Handler = async (session, flags, [name]) => {
  const isAdmin = flags.isSet('admin')
  const role = isAdmin ? 'admin' : flags.text('role')
  if (role === undefined)
    throw createError('CLI_USAGE', 'pass the role of the token with --role, or pass --admin')
  if (isAdmin && flags.text('role') !== undefined)
    throw createError('CLI_USAGE', '--admin and --role cannot be used together')
  const stacks = flags.list('for')
  const body = {
    name: name ?? role,
    role,
    ...(stacks.length === 0 ? {} : { stacks }),
    ...readTokenDays(flags),
  }
  // With --admin, the command creates the token in the store of this machine. The API accepts no
  // call without a token, so it could not create the first one.
  const { callApi } = isAdmin ? await session.openLocalEngine() : await session.openEngine()
  const response = await callApi({ method: 'POST', path: '/v1/tokens', body })
  const createdToken = issuedTokenForm.parse(response)
  printToken(session, flags, createdToken)
  session.printToStderr(
    `Created token ${createdToken.id} ('${createdToken.name}', ${role}), valid ${formatExpiry(createdToken)}. It is not shown again.`,
  )
  return 0
}

/** `token rotate`: gives a token a new secret, and prints it to standard output only. */
export const rotateApiToken: Handler = async (session, flags, [idOrName = '']) => {
  const overlapText = flags.text('overlap')
  const body =
    overlapText === undefined ? {} : { overlapSeconds: parseSeconds('--overlap', overlapText) }
  const engine = await session.openEngine()
  const id = await resolveTokenId(engine, idOrName)
  const path = `/v1/tokens/${id}/rotate`
  const rotatedToken = issuedTokenForm.parse(await engine.callApi({ method: 'POST', path, body }))
  printToken(session, flags, rotatedToken)
  session.printToStderr(
    `Rotated token ${id} ('${rotatedToken.name}'), valid ${formatExpiry(rotatedToken)}. Its secret is not shown again.`,
  )
  return 0
}

function printToken(
  session: CliSession,
  flags: Flags,
  token: z.infer<typeof issuedTokenForm>,
): void {
  session.print(flags.isSet('json') ? JSON.stringify(token, null, 2) : token.token)
}

function formatExpiry({ expiresAt }: z.infer<typeof tokenForm>): string {
  return expiresAt === undefined
    ? 'until it is revoked'
    : `until ${new Date(expiresAt).toISOString()}`
}

/**
 * Returns the id of the token that `idOrName` identifies. A message never contains the text of a
 * token, which a user may pass by mistake. Throws CLI_USAGE, DOCUMENT_UNKNOWN.
 */
async function resolveTokenId(engine: EnginePort, idOrName: string): Promise<string> {
  if (/^[0-9a-f]{16}$/.test(idOrName)) return idOrName
  if (idOrName === '' || idOrName.startsWith('act_'))
    throw createError(
      'CLI_USAGE',
      `'${idOrName.slice(0, 4)}…' is not the id or name of a token; list tokens with \`antichain token ls\``,
    )
  const tokens = await listAllItems(engine, '/v1/tokens', tokenForm)
  const [token, ...others] = tokens.filter(({ name }) => name === idOrName)
  if (token === undefined)
    throw createError('DOCUMENT_UNKNOWN', `no token has the id or name '${idOrName}'`)
  if (others.length > 0)
    throw createError(
      'CLI_USAGE',
      `${others.length + 1} tokens have the name '${idOrName}': pass the id of one of them`,
    )
  return token.id
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
export const revokeToken: Handler = async (session, _flags, [idOrName = '']) => {
  const engine = await session.openEngine()
  const id = await resolveTokenId(engine, idOrName)
  await engine.callApi({ method: 'DELETE', path: `/v1/tokens/${id}` })
  session.printToStderr(`Revoked token ${id}.`)
  return 0
}
