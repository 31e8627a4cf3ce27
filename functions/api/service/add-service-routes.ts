/**
 * service: Pulumi's service API, so that Pulumi's own command line can use the stacks of this
 * installation. Its routes have the tokens, roles, audit log and records of our own API. An update
 * of such a client is a deployment, whose decisions are the journal entries that the client sends.
 *
 * Invariants: the body of every error has the status as `code`. A call with a lease token changes
 * no deployment that another process has taken over. All such calls except the report of the end
 * require that the lease has not expired. A response with success follows the durable write.
 */
import type { Context, Hono } from 'hono'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { error, hasCode, messageOf } from '../../../shared/errors/error.ts'
import { toPrintable } from '../../../shared/triggers/printable.ts'
import type { RandomPort } from '../../../shared/ports/system.ts'
import { stackOf } from '../define-route.ts'
import { recordChange } from '../audited-call.ts'
import { authenticate } from '../authenticate.ts'
import { type Caller, requirePermission } from '../authorization.ts'
import { createRateLimiter, type RateLimiter } from '../rate-limit.ts'
import { createClientLogs } from './client-logs.ts'
import { requireLeaseToken, requireUpdate, requireValidLease } from './client-update.ts'
import { exchangeForClient, type ExchangeToken, oauthTokenPath } from './oauth-token.ts'
import { readServiceBody } from './service-body.ts'
import { serviceStatusOf, toServiceErrorResponse } from './service-error.ts'
import {
  requireOrganization,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
} from './service-route.ts'
import { serviceRoutes } from './service-table.ts'

/** The dependencies of the service. */
export interface ServiceOptions {
  readonly ports: Omit<ServicePorts, 'clientLogs'>
  readonly addressOf: (context: Context) => string
  /** Absent where tokens of issuers are not exchanged. */
  readonly exchangeToken?: ExchangeToken
}

interface ServiceDeps {
  readonly ports: ServicePorts
  readonly addressOf: (context: Context) => string
  readonly addressLimiter: RateLimiter
  /** Limits exchanges of tokens, which need no token, as strictly as our own API does. */
  readonly exchangeLimiter: RateLimiter
  readonly tokenLimiter: RateLimiter
}

/** Answers every path below `/api` with 404, and names the address that serves clients. */
export function refuseServiceCalls(
  app: Hono,
  random: Pick<RandomPort, 'uuid'>,
  serviceUrl: string | undefined,
): void {
  const message =
    serviceUrl === undefined
      ? "this address does not serve Pulumi's command line"
      : `this address does not serve Pulumi's command line: run \`pulumi login ${serviceUrl}\``
  app.all('/api/*', () =>
    toServiceErrorResponse(error('API_ROUTE_UNKNOWN', message), random.uuid()),
  )
}

/** Adds the routes of the service to an app. Any other path below `/api` is answered with 404. */
export function addServiceRoutes(app: Hono, options: ServiceOptions): void {
  const ports = { ...options.ports, clientLogs: createClientLogs(options.ports) }
  const { addressOf } = options
  const { serviceBurst: burst, servicePerSecond: perSecond } = apiLimits
  const deps: ServiceDeps = {
    ports,
    addressOf,
    addressLimiter: createRateLimiter(ports.clock, { burst, perSecond }),
    exchangeLimiter: createRateLimiter(ports.clock, {
      burst: apiLimits.addressBurst,
      perSecond: apiLimits.addressPerSecond,
    }),
    tokenLimiter: createRateLimiter(ports.clock, { burst, perSecond }),
  }
  for (const route of serviceRoutes)
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), context =>
      answerServiceCall(deps, route, context),
    )
  app.post(oauthTokenPath, context => answerTokenExchange(deps, options.exchangeToken, context))
  app.all('/api/*', context => {
    const requestLine = toPrintable(`${context.req.method} ${context.req.path}`)
    const routeError = error('API_ROUTE_UNKNOWN', `the service has no route ${requestLine}`)
    return toServiceErrorResponse(routeError, ports.random.uuid())
  })
}

/** Answers the exchange of a token, the only call that needs no token. Never throws. */
function answerTokenExchange(
  deps: ServiceDeps,
  exchangeToken: ExchangeToken | undefined,
  context: Context,
): Promise<Response> {
  return answerSafely(deps, async id => {
    const clientAddress = toPrintable(deps.addressOf(context), 100)
    deps.exchangeLimiter.countRequest(clientAddress)
    return exchangeForClient(exchangeToken, context.req.raw, { id, clientAddress })
  })
}

/** Answers a call of a route. Never throws. */
function answerServiceCall(
  deps: ServiceDeps,
  route: ServiceRoute,
  context: Context,
): Promise<Response> {
  return answerSafely(deps, async id => {
    const params = checkServiceParams(context.req.param() as Record<string, string>)
    const run = route.role === 'lease' ? answerLeased : answerWithToken
    return run(deps, route, { context, params, id })
  })
}

/** Returns the response of a call, or the one to its error. `run` gets the id of the request. */
async function answerSafely(
  { ports }: ServiceDeps,
  run: (id: string) => Promise<unknown>,
): Promise<Response> {
  const id = ports.random.uuid()
  try {
    const result = await run(id)
    const response = result instanceof Response ? result : jsonOf(result)
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-pulumi-request-id', id)
    return response
  } catch (thrown) {
    if (serviceStatusOf(thrown) >= 500 && !hasCode(thrown, 'FEATURE_MISSING'))
      ports.logger.write('error', 'service.failed', { request: id, message: messageOf(thrown) })
    return toServiceErrorResponse(thrown, id)
  }
}

function jsonOf(json: unknown): Response {
  const headers = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(json ?? {}), { headers })
}

const namePattern = /^(?!\.{1,2}$)[\w.-]{1,100}$/

function checkServiceParams(params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params))
    if (!namePattern.test(value))
      throw error('API_INPUT_INVALID', `'${toPrintable(value)}' is not a valid ${name}`)
  requireOrganization(params)
  return params
}

/** A call before its authentication. */
interface IncomingCall {
  readonly context: Context
  readonly params: Readonly<Record<string, string>>
  readonly id: string
}

/** Answers a call with the lease token of its update. The audit log has only the update's start. */
async function answerLeased(
  deps: ServiceDeps,
  route: ServiceRoute,
  { context, params }: IncomingCall,
): Promise<unknown> {
  const { ports } = deps
  const token = readToken(context, 'update-token')
  const update = await requireUpdate(ports, stackOf(params), params['update'] ?? '')
  requireLeaseToken(update, token)
  // A repeated report of the end arrives after the lease is over.
  const isEnd = route.path.endsWith('/complete')
  const call = await readCall(route, { context, params, caller: clientCallerOf(update.update.by) })
  if (!isEnd) await requireValidLease(ports, update)
  return route.run(ports, { ...call, update, leaseToken: token } as ServiceCall)
}

/** Returns the caller of a lease. Its rights were checked at the start of the update. */
function clientCallerOf(name: string): Caller {
  return { id: 'lease', name, role: 'read', stacks: [] }
}

/** Answers a call with a token. A call that changes something is in the audit log. */
async function answerWithToken(
  deps: ServiceDeps,
  route: ServiceRoute,
  { context, params, id }: IncomingCall,
): Promise<unknown> {
  const { ports, addressLimiter, tokenLimiter } = deps
  const clientAddress = toPrintable(deps.addressOf(context), 100)
  addressLimiter.countRequest(clientAddress)
  const caller = await authenticate(ports, readToken(context, 'token'))
  tokenLimiter.countRequest(caller.id)
  const run = async (): Promise<unknown> => {
    const scope = params['stack'] === undefined ? 'any' : stackOf(params)
    if (route.role !== 'lease') requirePermission(caller, route.role, scope)
    return route.run(ports, await readCall(route, { context, params, caller }))
  }
  if (route.method === 'GET' || route.isRead === true) return run()
  const entry = {
    who: `${caller.name} (${caller.id})`,
    from: clientAddress,
    what: toPrintable(`${route.method} ${context.req.path}`, 300),
    request: id,
  }
  return (await recordChange(ports, entry, async () => ({ status: 200, result: await run() })))
    .result
}

async function readCall(
  route: ServiceRoute,
  { context, params, caller }: Pick<IncomingCall, 'context' | 'params'> & { caller: Caller },
): Promise<ServiceCall> {
  const { bodyBytesMax = apiLimits.bodyBytesMax } = route
  const { text, json } = await readServiceBody(context.req.raw, bodyBytesMax)
  const origin = originOf(context)
  const header = (name: string): string | undefined => context.req.header(name)
  return { caller, params, query: context.req.query(), body: json, text, origin, header }
}

/**
 * Returns the address of the service as the client uses it. A function does not know its address,
 * and a proxy with TLS has another protocol, so the headers of the call decide.
 */
function originOf({ req }: Context): string {
  const { protocol, host } = new URL(req.url)
  const forwarded = /^https?$/.exec(req.header('x-forwarded-proto') ?? '')?.[0]
  const named = /^[\w.:[\]-]{1,300}$/.exec(req.header('host') ?? '')?.[0]
  return `${forwarded ?? protocol.slice(0, -1)}://${named ?? host}`
}

/** Returns the token of a call. Throws API_TOKEN_MISSING, and API_FORBIDDEN for a lease token. */
function readToken(context: Context, scheme: 'token' | 'update-token'): string {
  const header = context.req.header('authorization') ?? ''
  const [, actualScheme, token] = /^(\S+) +(\S{1,200})$/.exec(header) ?? []
  if (token !== undefined && actualScheme?.toLowerCase() === scheme) return token
  throw error(
    scheme === 'token' ? 'API_TOKEN_MISSING' : 'API_FORBIDDEN',
    `the request has no ${scheme}`,
  )
}
