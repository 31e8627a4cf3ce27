/**
 * api: what people and machines ask over HTTP: stacks, programs, deployments and what they tell,
 * documents of triggers, tokens. It only writes and reads records and sends nudges; generators and
 * executors do the rest. The same app serves a function URL and `antichain serve --port`.
 *
 * Invariants: every route is a row of one table, with the role and the tokens that it is for; a
 * change is in the audit log before it is made; nothing that was not read to its end within limits
 * is looked at; no secret leaves but by the routes that say so.
 */
import { Hono, type Context } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import { printable } from '../../shared/triggers/printable.ts'
import { errorAnswer, statusOf } from './error-answer.ts'
import { openApiOf } from './open-api.ts'
import { createRateLimiter, type Rate, type RateLimiter } from './rate-limit.ts'
import { readBody, readJson } from './read-body.ts'
import { type Caller, covers, mayAct } from './roles.ts'
import { type Answer, type ApiPorts, type Route, stackOf } from './route.ts'
import { routes } from './routes-table.ts'
import { callerOf } from './tokens.ts'

/** How an API is made. */
export interface ApiOptions {
  readonly ports: ApiPorts
  /** Where a request comes from; a text for the audit log and rate limits. */
  readonly addressOf: (context: Context) => string
  /** Other rates than the usual ones. */
  readonly rates?: { readonly address: Rate; readonly token: Rate }
}

/** What the parts of a call share. */
interface Deps {
  readonly ports: ApiPorts
  readonly addressOf: ApiOptions['addressOf']
  readonly addresses: RateLimiter
  readonly tokens: RateLimiter
}

const usualRates = {
  address: { burst: apiLimits.addressBurst, perSecond: apiLimits.addressPerSecond },
  token: { burst: apiLimits.tokenBurst, perSecond: apiLimits.tokenPerSecond },
}

/** Makes the app. What it answers has security headers, and none for other origins. */
export function createApi({ ports, addressOf, rates = usualRates }: ApiOptions): Hono {
  const deps: Deps = {
    ports,
    addressOf,
    addresses: createRateLimiter(ports.clock, rates.address),
    tokens: createRateLimiter(ports.clock, rates.token),
  }
  const app = new Hono()
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      referrerPolicy: 'no-referrer',
    }),
  )
  const document = JSON.stringify(openApiOf(routes))
  app.get('/openapi.json', context => {
    deps.addresses.take(deps.addressOf(context))
    return context.body(document, 200, { 'content-type': 'application/json' })
  })
  for (const route of routes)
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), context =>
      answered(deps, route, context),
    )
  app.notFound(context => {
    const what = printable(`${context.req.method} ${context.req.path}`)
    return errorAnswer(error('API_ROUTE_UNKNOWN', `there is no ${what}`), '')
  })
  app.onError(thrown => errorAnswer(thrown, ''))
  return app
}

/** One call, from who asks to what is answered. */
async function answered(deps: Deps, route: Route, context: Context): Promise<Response> {
  const { ports } = deps
  const id = ports.random.uuid()
  try {
    const from = printable(deps.addressOf(context), 100)
    deps.addresses.take(from)
    const caller = await callerOf(ports, bearerOf(context.req.header('authorization')))
    deps.tokens.take(caller.id)
    const call: Call = { id, caller, from, route, params: checkedParams(context.req.param()) }
    const response = await audited(ports, call, async () => {
      requireMay(call)
      const given = { caller, params: call.params, query: context.req.query() }
      const { request, body } = await bodyOf(route, context.req.raw)
      return responseOf(route, await route.answer(ports, { ...given, body, request }))
    })
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-request-id', id)
    return response
  } catch (thrown) {
    if (statusOf(thrown) >= 500)
      ports.journal.write('error', 'api.failed', { request: id, message: messageOf(thrown) })
    return errorAnswer(thrown, id)
  }
}

interface Call {
  readonly id: string
  readonly caller: Caller
  readonly from: string
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

const word = /^[\w.-]{1,100}$/
/** What parts of a path may be, by their names: nothing that would be read as another path. */
const paramForms: Readonly<Record<string, RegExp>> = {
  project: word,
  stack: word,
  name: word,
  id: /^[0-9a-f]{16}$/,
  number: /^[1-9]\d{0,9}$/,
  archive: /^[0-9a-f]{64}$/,
  key: /^[^\p{Cc}/]{1,300}$/u,
}

/** Throws API_INPUT_INVALID. */
function checkedParams(params: Call['params']): Call['params'] {
  for (const [name, value] of Object.entries(params))
    if (paramForms[name]?.test(value) !== true)
      throw error('API_INPUT_INVALID', `the path has no ${name} such as '${printable(value)}'`)
  return params
}

/** Throws API_FORBIDDEN; what is not the caller's business is not said to be there or not. */
function requireMay({ caller, route, params }: Call): void {
  if (!mayAct(caller.role, route.role))
    throw error('API_FORBIDDEN', `this needs the role ${route.role}, and yours is ${caller.role}`)
  const isTheirs =
    route.scope === 'any' ||
    (route.scope === 'stack' ? covers(caller.stacks, stackOf(params)) : caller.stacks === '*')
  if (isTheirs) return
  const whom = route.scope === 'stack' ? 'of this stack' : 'of all stacks'
  throw error('API_FORBIDDEN', `this is for tokens ${whom}`)
}

/** Makes a change between two entries of the audit log; without the first it is not made. */
async function audited(
  ports: ApiPorts,
  { id, caller, from, route, params }: Call,
  change: () => Promise<Response>,
): Promise<Response> {
  if (route.method === 'GET') return change()
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const entry = {
    who: `${caller.name} (${caller.id})`,
    from,
    what: printable(`${route.method} ${path}`, 300),
    request: id,
  }
  const append = (kind: 'asked' | 'answered', status?: number): Promise<void> =>
    ports.audit.append({
      ...entry,
      id: `${id} ${kind}`,
      at: ports.clock.now(),
      kind,
      ...(status === undefined ? {} : { status }),
    })
  await append('asked')
  let status = 500
  try {
    const response = await change()
    status = response.status
    return response
  } catch (thrown) {
    status = statusOf(thrown)
    throw thrown
  } finally {
    // The change stands, or was refused, whether or not this can be told.
    await append('answered', status).catch((thrown: unknown) =>
      ports.journal.write('error', 'audit.failed', { request: id, message: messageOf(thrown) }),
    )
  }
}

async function bodyOf(
  { raw, method }: Route,
  request: Request,
): Promise<{ readonly request: Request; readonly body: unknown }> {
  if (method === 'GET' || method === 'DELETE') return { request, body: undefined }
  const body =
    raw === undefined
      ? await readJson(request, apiLimits.bodyBytesMax)
      : await readBody(request, raw.bytesMax)
  return { request, body }
}

function responseOf(route: Route, answer: Answer): Response {
  if ('response' in answer) return answer.response
  const headers = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(answer.json), {
    status: answer.status ?? route.status,
    headers,
  })
}

/** The token of a request. Throws API_TOKEN_MISSING. */
function bearerOf(header: string | undefined): string {
  const [, token] = /^Bearer +(\S{1,200})$/i.exec(header ?? '') ?? []
  if (token === undefined) throw error('API_TOKEN_MISSING', 'the request has no token')
  return token
}
