import { error } from '../../shared/errors/error.ts'
import { checkedParams, perform } from './perform.ts'
import type { Caller } from './roles.ts'
import type { ApiPorts, Route } from './route.ts'
import { routes } from './routes-table.ts'

/** What is asked of the API in the process that has the store. */
export interface AskedHere {
  readonly method: Route['method']
  /** With its query. */
  readonly path: string
  readonly body?: unknown
}

/**
 * Asks the API without HTTP: as whoever runs the process, who may do everything, and with the same
 * checks of what is asked and the same audit log. Answers its JSON. Throws what the route throws,
 * API_ROUTE_UNKNOWN.
 */
export async function callHere(
  ports: ApiPorts,
  who: string,
  { method, path, body }: AskedHere,
): Promise<unknown> {
  const url = new URL(path, 'http://here')
  const found = routes.flatMap(route => {
    const params = route.method === method ? paramsIn(route.path, url.pathname) : undefined
    return params === undefined ? [] : [{ route, params: checkedParams(params) }]
  })[0]
  if (found === undefined) throw error('API_ROUTE_UNKNOWN', `there is no ${method} ${url.pathname}`)
  const { route, params } = found
  const caller: Caller = { id: 'here', name: who, role: 'admin', stacks: '*' }
  const call = { id: ports.random.uuid(), caller, from: 'this machine', route, params }
  const done = await perform(ports, call, async () => {
    const query = Object.fromEntries(url.searchParams)
    const given = { caller, params, query, body, request: new Request(url) }
    const answer = await route.answer(ports, given)
    return { status: 'json' in answer ? (answer.status ?? route.status) : route.status, answer }
  })
  return 'json' in done.answer ? done.answer.json : done.answer.response.json()
}

/** What a path has where a route has names; undefined when it is another's. */
function paramsIn(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
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
