/**
 * api: the HTTP API for users and other programs: stacks, programs, deployments and their events,
 * trigger documents, tokens. It reads and writes records and sends nudges. Generators and executors
 * run the deployments. The same app serves a function URL and `antichain serve --port`.
 *
 * Invariants: every route of this API that requires a token is a row of one table, with the
 * required role and token scope. Only the exchange of OIDC tokens, the OpenAPI document and the
 * files of the dashboard need no token. A change is in the audit log before it is made. A route
 * runs only after the body of its request was read completely, within its size limit. Only routes
 * whose summary mentions secrets or the text of a token return them.
 */
import { Hono, type Context } from 'hono'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { apiGroupHeader } from '../../shared/config/stack-groups.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { createDeliverySender } from '../../shared/triggers/notifications/delivery-sender.ts'
import type { DashboardFiles } from '../../shared/runtime/environment/read-dashboard-files.ts'
import { addDashboardRoutes } from './dashboard-routes.ts'
import { toErrorResponse, apiStatusOf } from '../../shared/api/error-response.ts'
import { exchangeRoute } from '../../shared/api/federation/exchange-route.ts'
import { exchangeJwt } from '../../shared/api/federation/exchange-jwt.ts'
import { createIssuerKeys, type IssuerKeys } from '../../shared/api/federation/issuer-keys.ts'
import { observeRequests } from '../../shared/api/observe-requests.ts'
import { openApiOf } from './open-api.ts'
import { createRateLimiter, type Rate, type RateLimiter } from '../../shared/api/rate-limit.ts'
import { readRequestBody, readRequestJson } from '../../shared/api/read-body.ts'
import { type AuthenticatedCall, checkParams, runAudited } from '../../shared/api/audited-call.ts'
import {
  type ApiPorts,
  parseInput,
  type Route,
  type RouteResult,
  stackOf,
} from '../../shared/api/define-route.ts'
import {
  createPortGroup,
  portsOfGroup,
  portsOfStack,
} from '../../shared/runtime/groups/port-groups.ts'
import { routes } from './routes-table.ts'
import { addSecureHeaders } from '../../shared/api/secure-headers.ts'
import {
  addServiceRoutes,
  refuseServiceCalls,
} from '../../shared/pulumi-service/add-service-routes.ts'
import {
  addDelegatedRoutes,
  type DelegatedOptions,
} from '../../shared/pulumi-service/delegated-routes.ts'
import { createStreamSlots, type StreamSlots } from '../../shared/api/stream-slots.ts'
import { authenticate, readBearerToken, isTokenValid } from '../../shared/api/authenticate.ts'

/** The options of an API. */
export interface ApiOptions {
  readonly ports: ApiPorts
  /** Returns the client address of a request as text, for the audit log and rate limits. */
  readonly addressOf: (context: Context) => string
  /** Rates that replace the default rates. */
  readonly rates?: { readonly address: Rate; readonly token: Rate }
  /**
   * The limiter of addresses, which other routes of the app share. Absent: a new one with the rate
   * for addresses.
   */
  readonly addressLimiter?: RateLimiter
  /** Maximum number of open event streams in all processes. Absent: the default. */
  readonly streamsMax?: number
  /** The address that Pulumi's own command line must use, if it is not this API's. */
  readonly serviceUrl?: string
  /** The files of the dashboard. Absent: this API does not serve it. */
  readonly dashboard?: DashboardFiles | undefined
}

/** The shared dependencies of calls. */
interface CallDeps {
  readonly ports: ApiPorts
  readonly addressOf: ApiOptions['addressOf']
  readonly addressLimiter: RateLimiter
  readonly tokenLimiter: RateLimiter
  readonly streamSlots: StreamSlots
  readonly issuerKeys: IssuerKeys
}

const defaultRates = {
  address: { burst: apiLimits.addressBurst, perSecond: apiLimits.addressPerSecond },
  token: { burst: apiLimits.tokenBurst, perSecond: apiLimits.tokenPerSecond },
}

/** Creates the app. Its responses have security headers and allow no other origins. */
export function createApi(options: ApiOptions): Hono {
  const { ports, addressOf, rates = defaultRates, streamsMax = apiLimits.streamsMax } = options
  const deps: CallDeps = {
    ports,
    addressOf,
    addressLimiter: options.addressLimiter ?? createRateLimiter(ports.clock, rates.address),
    tokenLimiter: createRateLimiter(ports.clock, rates.token),
    streamSlots: createStreamSlots({ ...ports, streamsMax }),
    issuerKeys: createIssuerKeys(ports),
  }
  const app = new Hono()
  observeRequests(app, ports.telemetry)
  const countAddress = (context: Context): void =>
    deps.addressLimiter.countRequest(deps.addressOf(context))
  // The dashboard has security headers of its own, so its routes precede the common headers.
  if (options.dashboard !== undefined) addDashboardRoutes(app, options.dashboard, countAddress)
  addSecureHeaders(app)
  const openApiDocument = JSON.stringify(openApiOf(routes, [exchangeRoute]))
  app.get('/openapi.json', context => {
    countAddress(context)
    return context.body(openApiDocument, 200, { 'content-type': 'application/json' })
  })
  for (const route of routes)
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), context =>
      answerCall(deps, route, context),
    )
  app.on(exchangeRoute.method, exchangeRoute.path, context => answerExchange(deps, context))
  addDelegatedRoutes(app, {
    ports: withSenders(ports),
    addressOf,
    exchangeToken: request => exchangeJwt(ports, deps.issuerKeys, request),
  })
  // The other groups are left out. They exist only on AWS, where another function, `service`,
  // answers the clients of Pulumi.
  const { closing, otherGroups: _otherGroups, ...ownPorts } = ports
  if (closing === undefined) refuseServiceCalls(app, ports.random, options.serviceUrl)
  else addServiceRoutes(app, { ports: { ...ownPorts, closing }, addressOf })
  app.notFound(context => toErrorResponse(createRouteError(context), ''))
  app.onError(thrown => toErrorResponse(thrown, ''))
  return app
}

/** Adds a delivery sender to the ports of each group without one. */
function withSenders(ports: ApiPorts): DelegatedOptions['ports'] {
  const { otherGroups = [], ...ownPorts } = ports
  return {
    ...ownPorts,
    sender: ports.sender ?? createDeliverySender(ports),
    otherGroups: otherGroups.map(group => createPortGroup(group, () => withSenders(group.ports))),
  }
}

function createRouteError({ req }: Context): Error {
  const requestLine = toPrintable(`${req.method} ${req.path}`)
  return createError('API_ROUTE_UNKNOWN', `the API has no route ${requestLine}`)
}

/** Answers one call: rate limits, authentication, audit, route and response. Never throws. */
function answerCall(deps: CallDeps, route: Route, context: Context): Promise<Response> {
  const { ports } = deps
  return answerRequest(deps, context, async (id, clientAddress) => {
    // A HEAD request reaches the routes of GET, and would open a stream without a reader.
    if (context.req.method !== route.method) throw createRouteError(context)
    const token = readBearerToken(context.req.header('authorization'))
    const caller = await authenticate(ports, token)
    deps.tokenLimiter.countRequest(caller.id)
    const call: AuthenticatedCall = {
      id,
      caller,
      clientAddress,
      route,
      params: checkParams(context.req.param()),
    }
    return runAudited(ports, call, async () => {
      const request = context.req.raw
      const body = await readCallBody(route, request)
      const stream = {
        isTokenValid: () => isTokenValid(ports, token),
        takeSlot: () => deps.streamSlots.take(caller.id),
      }
      const routeCall = {
        caller,
        params: call.params,
        query: context.req.query(),
        body,
        request,
        stream,
      }
      return toResponse(route, await route.answer(selectPorts(ports, call, request), routeCall))
    })
  })
}

/** Returns the ports of the group of a call. Throws GROUP_UNKNOWN. */
function selectPorts(
  ports: ApiPorts,
  { route, params }: Pick<AuthenticatedCall, 'route' | 'params'>,
  { headers }: Request,
): ApiPorts {
  if (route.scope === 'stack') return portsOfStack(ports, stackOf(params))
  const group = headers.get(apiGroupHeader)
  if (group === null || route.scope === 'any' || route.isForAllGroups === true) return ports
  return portsOfGroup(ports, group)
}

/** Answers an exchange of an OIDC token: rate limit, size limit, checks, audit. Never throws. */
function answerExchange(deps: CallDeps, context: Context): Promise<Response> {
  const { ports, issuerKeys } = deps
  return answerRequest(deps, context, async (id, clientAddress) => {
    const { body, bodyBytesMax, status } = exchangeRoute
    const json = await readRequestJson(context.req.raw, bodyBytesMax)
    const request = { ...parseInput(body, json, 'body'), id, clientAddress }
    return jsonResponseOf(await exchangeJwt(ports, issuerKeys, request), status)
  })
}

/**
 * Counts a request against the rate limit of its address, and answers it. An error becomes a
 * response too. Never throws.
 */
async function answerRequest(
  { ports, addressOf, addressLimiter }: CallDeps,
  context: Context,
  answer: (id: string, clientAddress: string) => Promise<Response>,
): Promise<Response> {
  const id = ports.random.uuid()
  try {
    const clientAddress = toPrintable(addressOf(context), 100)
    addressLimiter.countRequest(clientAddress)
    const response = await answer(id, clientAddress)
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-request-id', id)
    return response
  } catch (thrown) {
    if (apiStatusOf(thrown) >= 500)
      ports.logger.write('error', 'api.failed', { request: id, message: messageOf(thrown) })
    return toErrorResponse(thrown, id)
  }
}

async function readCallBody({ rawBody, method }: Route, request: Request): Promise<unknown> {
  if (method === 'GET' || method === 'DELETE') return undefined
  return rawBody === undefined
    ? readRequestJson(request, apiLimits.bodyBytesMax)
    : readRequestBody(request, rawBody.bytesMax)
}

function toResponse(route: Route, result: RouteResult): Response {
  if ('response' in result) return result.response
  return jsonResponseOf(result.json, result.status ?? route.status)
}

function jsonResponseOf(json: unknown, status: number): Response {
  const headers = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(json), { status, headers })
}
