import { error } from '../../shared/errors/error.ts'
import { runAudited } from './audited-call.ts'
import type { ApiPorts } from './define-route.ts'
import { routes } from './routes-table.ts'
import { createToken, type TokenDeps } from './tokens.ts'

/** What a token is made with where no API is asked. */
export type FirstTokenPorts = TokenDeps & Pick<ApiPorts, 'audit' | 'clock' | 'random' | 'logger'>

/**
 * Makes a token for everything where its documents are, without an API: by whoever may write them.
 * It is in the audit log before it is made, as when the API is asked. Its text is known now and
 * never again.
 */
export async function createFirstToken(
  ports: FirstTokenPorts,
  by: { readonly who: string; readonly from: string },
  options: { readonly name: string; readonly days?: number },
): Promise<{ readonly id: string; readonly token: string }> {
  const route = routes.find(({ method, path }) => method === 'POST' && path === '/v1/tokens')
  if (route === undefined) throw error('API_ROUTE_UNKNOWN', 'tokens cannot be made')
  const caller = { id: 'here', name: by.who, role: 'admin', stacks: '*' } as const
  const call = { id: ports.random.uuid(), caller, from: by.from, route, params: {} }
  const { id, token } = await runAudited(ports, call, async () => ({
    status: route.status,
    ...(await createToken(ports, { role: 'admin', ...options })),
  }))
  return { id, token }
}
