import type { Context } from 'hono'
import { apiLimits } from '../config/api-limits.ts'
import { createError, hasCode, messageOf } from '../errors/error.ts'
import { errorSourceOf } from '../providers/retry-policy.ts'
import { parseEnvelope } from '../state/stream/parse-envelope.ts'
import { toPrintable } from '../triggers/printable.ts'
import { type GroupedPorts, portsOfProject } from '../runtime/groups/port-groups.ts'
import { recordChange } from '../api/audited-call.ts'
import { authenticate } from '../api/authenticate.ts'
import { type Caller, requirePermission } from '../api/authorization.ts'
import { stackOf } from '../api/define-route.ts'
import { createRateLimiter, type RateLimiter } from '../api/rate-limit.ts'
import { requireLeaseToken, requireUpdate, requireValidLease } from './client-update.ts'
import { readServiceBody, unpackBody } from './service-body.ts'
import { serviceStatusOf, toServiceErrorResponse } from './service-error.ts'
import {
  requireOrganization,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
} from './service-route.ts'

/** The ports that every call of a client needs. */
export type CallPorts = Pick<
  ServicePorts,
  'documents' | 'control' | 'audit' | 'clock' | 'random' | 'logger'
>

/** The ports of calls for the stacks of all groups. */
export type GroupedCallPorts<Ports> = CallPorts & GroupedPorts<Ports>

/** The shared dependencies of calls. */
export interface ServiceCallDeps<Ports extends GroupedCallPorts<Ports>> {
  readonly ports: Ports
  /** Returns the client address of a request as text, for the audit log and rate limits. */
  readonly addressOf: (context: Context) => string
  readonly addressLimiter: RateLimiter
  readonly tokenLimiter: RateLimiter
  /** Counts the calls of each address that have a wrong lease token. */
  readonly wrongLeaseLimiter: RateLimiter
}

/** Creates the dependencies of calls, with the rate limits of clients. */
export function createCallDeps<Ports extends GroupedCallPorts<Ports>>(
  ports: Ports,
  addressOf: ServiceCallDeps<Ports>['addressOf'],
): ServiceCallDeps<Ports> {
  const { serviceBurst: burst, servicePerSecond: perSecond } = apiLimits
  const createLimiter = (): RateLimiter => createRateLimiter(ports.clock, { burst, perSecond })
  const [addressLimiter, tokenLimiter] = [createLimiter(), createLimiter()]
  return { ports, addressOf, addressLimiter, tokenLimiter, wrongLeaseLimiter: createLimiter() }
}

/** Answers a call of a route. Never throws. */
export function answerServiceCall<Ports extends GroupedCallPorts<Ports>>(
  deps: ServiceCallDeps<Ports>,
  route: ServiceRoute<Ports>,
  context: Context,
): Promise<Response> {
  return answerSafely(deps.ports, async id => {
    const params = checkServiceParams(context.req.param() as Record<string, string>)
    const run = route.role === 'lease' ? answerLeased : answerWithToken
    return run(deps, route, { context, params, id })
  })
}

/** Runs a call and returns its response, also after an error. `run` gets the id of the request. */
export async function answerSafely(
  ports: Pick<CallPorts, 'random' | 'logger'>,
  run: (id: string) => Promise<unknown>,
): Promise<Response> {
  const id = ports.random.uuid()
  try {
    const result = await run(id)
    const response = result instanceof Response ? result : jsonOf(result)
    response.headers.set('cache-control', 'no-store')
    // The function that answered a forwarded call has logged its own id.
    if (!response.headers.has('x-pulumi-request-id'))
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
      throw createError('API_INPUT_INVALID', `'${toPrintable(value)}' is not a valid ${name}`)
  requireOrganization(params)
  return params
}

/** A call before its authentication. */
interface IncomingCall {
  readonly context: Context
  readonly params: Readonly<Record<string, string>>
  readonly id: string
}

/**
 * Answers a call that has the lease token of its update. The audit log has only the start of the
 * update. Until the check of its token succeeds, a call counts as one with a wrong token.
 */
async function answerLeased<Ports extends GroupedCallPorts<Ports>>(
  deps: ServiceCallDeps<Ports>,
  route: ServiceRoute<Ports>,
  { context, params }: IncomingCall,
): Promise<unknown> {
  const ports = portsOfProject(deps.ports, params['project'] ?? '')
  const token = readToken(context, 'update-token')
  const clientAddress = toPrintable(deps.addressOf(context), 100)
  deps.wrongLeaseLimiter.countRequest(clientAddress)
  const update = await requireUpdate(ports, stackOf(params), params['update'] ?? '').catch(
    (thrown: unknown) => {
      // During an outage of the store, the token cannot be checked, so it does not count as wrong.
      if (errorSourceOf(thrown) === 'store') deps.wrongLeaseLimiter.discountRequest(clientAddress)
      throw thrown
    },
  )
  requireLeaseToken(update, token)
  deps.wrongLeaseLimiter.discountRequest(clientAddress)
  // A repeated report of the end arrives after the lease is over, so it needs no valid lease.
  const isEndReport = route.path.endsWith('/complete')
  const call = await readCall(route, { context, params, caller: leaseCallerOf(update.update.by) })
  if (!isEndReport) await requireValidLease(ports, update)
  return route.run(ports, { ...call, update, leaseToken: token } as ServiceCall)
}

/**
 * Returns the caller of a lease. The rights of the caller were checked at the start of the update.
 */
function leaseCallerOf(name: string): Caller {
  return { id: 'lease', name, role: 'read', stacks: [] }
}

/** Answers a call that has a token. A call that changes something is in the audit log. */
async function answerWithToken<Ports extends GroupedCallPorts<Ports>>(
  deps: ServiceCallDeps<Ports>,
  route: ServiceRoute<Ports>,
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
    const groupPorts = portsOfProject(ports, params['project'] ?? '')
    return route.run(groupPorts, await readCall(route, { context, params, caller }))
  }
  if (route.method === 'GET' || route.isUnaudited === true) return run()
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
  route: Pick<ServiceRoute, 'bodyBytesMax' | 'hasStateBody'>,
  { context, params, caller }: Pick<IncomingCall, 'context' | 'params'> & { caller: Caller },
): Promise<ServiceCall> {
  const { bodyBytesMax = apiLimits.bodyBytesMax } = route
  const request = context.req.raw
  const { text, json } = route.hasStateBody
    ? { text: '', json: undefined }
    : await readServiceBody(request, bodyBytesMax)
  const state = route.hasStateBody
    ? await parseEnvelope(unpackBody(request, bodyBytesMax))
    : undefined
  const origin = originOf(context)
  const readHeader = (name: string): string | undefined => context.req.header(name)
  return {
    caller,
    params,
    query: context.req.query(),
    queryList: name => context.req.queries(name) ?? [],
    body: json,
    text,
    state,
    origin,
    header: readHeader,
  }
}

/**
 * Returns the address of the service as the client uses it. A function does not know its address,
 * and a proxy with TLS has another protocol, so the headers of the call decide.
 */
function originOf({ req }: Context): string {
  const { protocol, host } = new URL(req.url)
  const forwardedProtocol = /^https?$/.exec(req.header('x-forwarded-proto') ?? '')?.[0]
  const hostHeader = /^[\w.:[\]-]{1,300}$/.exec(req.header('host') ?? '')?.[0]
  return `${forwardedProtocol ?? protocol.slice(0, -1)}://${hostHeader ?? host}`
}

/**
 * Returns the token of a call. Throws API_TOKEN_MISSING if the call needs an API token and has
 * none. Throws API_FORBIDDEN if the call needs a lease token and has none.
 */
function readToken(context: Context, scheme: 'token' | 'update-token'): string {
  const header = context.req.header('authorization') ?? ''
  const [, actualScheme, token] = /^(\S+) +(\S{1,200})$/.exec(header) ?? []
  if (token !== undefined && actualScheme?.toLowerCase() === scheme) return token
  throw createError(
    scheme === 'token' ? 'API_TOKEN_MISSING' : 'API_FORBIDDEN',
    `the request has no ${scheme}`,
  )
}
