import { error } from '../../shared/errors/error.ts'
import { checkParams, runAudited } from './audited-call.ts'
import type { Caller } from './roles.ts'
import type { ApiPorts, Route } from './define-route.ts'
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
 * log are the same. Returns the JSON of the response. Throws the errors of the route and
 * API_ROUTE_UNKNOWN.
 */
export async function callApiInProcess(
  ports: ApiPorts,
  who: string,
  { method, path, body }: ApiRequest,
): Promise<unknown> {
  const url = new URL(path, 'http://here')
  const found = routes.flatMap(route => {
    const params = route.method === method ? matchParams(route.path, url.pathname) : undefined
    return params === undefined ? [] : [{ route, params: checkParams(params) }]
  })[0]
  if (found === undefined)
    throw error('API_ROUTE_UNKNOWN', `the API has no route ${method} ${url.pathname}`)
  const { route, params } = found
  const caller: Caller = { id: 'here', name: who, role: 'admin', stacks: '*' }
  const call = { id: ports.random.uuid(), caller, from: 'this machine', route, params }
  const done = await runAudited(ports, call, async () => {
    const query = Object.fromEntries(url.searchParams)
    const routeCall = { caller, params, query, body, request: new Request(url) }
    const answer = await route.answer(ports, routeCall)
    return { status: 'json' in answer ? (answer.status ?? route.status) : route.status, answer }
  })
  return 'json' in done.answer ? done.answer.json : done.answer.response.json()
}

/** Returns the path parameters of a route. Undefined when the path does not match. */
function matchParams(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [names, parts] = [pattern.split('/'), path.split('/')]
  if (names.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, name] of names.entries()) {
    const part = decodeURIComponent(parts[at] ?? '')
    const [, param] = /^\{(\w+)\}$/.exec(name) ?? []
    if (param !== undefined) params[param] = part
    else if (name !== part) return undefined
  }
  return params
}
