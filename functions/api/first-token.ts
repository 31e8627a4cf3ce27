import { createError } from '../../shared/errors/error.ts'
import { runAudited } from '../../shared/api/audited-call.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'
import { routes } from './routes-table.ts'
import { createToken, type TokenDays, type TokenDeps } from '../../shared/api/issue-token.ts'

/** The ports for creating a token without the API. */
export type FirstTokenPorts = TokenDeps & Pick<ApiPorts, 'audit' | 'clock' | 'random' | 'logger'>

/**
 * Creates a token with all permissions, without a call of the API, which would require a token. The
 * creator needs write access to the documents. As in the API, the audit log has an entry before the
 * token exists. The text of the token is returned once and never again.
 */
export async function createFirstToken(
  ports: FirstTokenPorts,
  creator: { readonly userName: string; readonly clientAddress: string },
  options: { readonly name: string; readonly days?: TokenDays },
): Promise<{ readonly id: string; readonly token: string }> {
  const route = routes.find(({ method, path }) => method === 'POST' && path === '/v1/tokens')
  if (route === undefined)
    throw createError('API_ROUTE_UNKNOWN', 'the API has no route that creates tokens')
  const caller = { id: 'here', name: creator.userName, role: 'admin', stacks: '*' } as const
  const call = {
    id: ports.random.uuid(),
    caller,
    clientAddress: creator.clientAddress,
    route,
    params: {},
  }
  const { id, token } = await runAudited(ports, call, async () => ({
    status: route.status,
    ...(await createToken(ports, { role: 'admin', ...options })),
  }))
  return { id, token }
}
