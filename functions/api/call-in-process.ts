import { tryDecodeURIComponent } from 'hono/utils/url'
import { createError } from '../../shared/errors/error.ts'
import { checkParams, runAudited } from '../../shared/api/audited-call.ts'
import type { Caller } from '../../shared/api/authorization.ts'
import type { ApiPorts, Route, StreamAccess } from '../../shared/api/define-route.ts'
import { routes } from './routes-table.ts'

/** A request to the API inside the process that owns the store. */
export interface ApiRequest {
  readonly method: Route['method']
  /** The path with its query. */
  readonly path: string
  readonly body?: unknown
}

/**
 * Calls the API without HTTP, with the permissions of an administrator. Input checks and the audit
 * log are the same as with HTTP. Returns the JSON of the response. Throws the errors of the route,
 * API_ROUTE_UNKNOWN, and API_INPUT_INVALID for an invalid parameter of the path.
 */
export async function callApiInProcess(
  ports: ApiPorts,
  callerName: string,
  { method, path, body }: ApiRequest,
): Promise<unknown> {
  const url = new URL(path, 'http://here')
  const match = routes.flatMap(route => {
    const params = route.method === method ? matchParams(route.path, url.pathname) : undefined
    return params === undefined ? [] : [{ route, params }]
  })[0]
  if (match === undefined)
    throw createError('API_ROUTE_UNKNOWN', `the API has no route ${method} ${url.pathname}`)
  const { route } = match
  const params = checkParams(match.params)
  const caller: Caller = { id: 'here', name: callerName, role: 'admin', stacks: '*' }
  const call = { id: ports.random.uuid(), caller, clientAddress: 'this machine', route, params }
  const { routeResult } = await runAudited(ports, call, async () => {
    const query = Object.fromEntries(url.searchParams)
    const routeCall = {
      caller,
      params,
      query,
      body,
      // Routes read only headers from it, and this call has none.
      request: new Request(url),
      stream: ownerAccess,
    }
    const routeResult = await route.answer(ports, routeCall)
    const status = 'json' in routeResult ? (routeResult.status ?? route.status) : route.status
    return { status, routeResult }
  })
  return 'json' in routeResult ? routeResult.json : routeResult.response.json()
}

/** The stream access of the owner of the store, who has no token. */
const ownerAccess: StreamAccess = {
  isTokenValid: async () => true,
  takeSlot: async () => async () => undefined,
}

/**
 * Returns the path parameters of a route. Undefined when the path does not match. An invalid escape
 * remains as it is, as with HTTP.
 */
function matchParams(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [patternParts, pathParts] = [pattern.split('/'), path.split('/')]
  if (patternParts.length !== pathParts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, patternPart] of patternParts.entries()) {
    const pathPart = tryDecodeURIComponent(pathParts[index] ?? '')
    const [, param] = /^\{(\w+)\}$/.exec(patternPart) ?? []
    if (param !== undefined) params[param] = pathPart
    else if (patternPart !== pathPart) return undefined
  }
  return params
}
