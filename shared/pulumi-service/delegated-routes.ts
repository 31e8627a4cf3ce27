import type { Context, Hono } from 'hono'
import { apiLimits } from '../config/api-limits.ts'
import { toPrintable } from '../triggers/printable.ts'
import { createRateLimiter } from '../api/rate-limit.ts'
import { readRequestBody } from '../api/read-body.ts'
import { exchangeForClient, type ExchangeToken, oauthTokenPath } from './oauth-token.ts'
import { type PulumiWebhookPorts, pulumiWebhookRoutes } from './pulumi-webhook-routes.ts'
import { answerSafely, answerServiceCall, type CallPorts, createCallDeps } from './service-calls.ts'
import { honoPathOf } from './service-route.ts'

/** A request of a client, with its body. */
export interface ForwardedRequest {
  readonly request: Request
  readonly body: Uint8Array
  readonly clientAddress: string
}

/** Sends a request to the function that answers it. Throws API_FUNCTION_UNREACHABLE. */
export type ForwardRequest = (forwarded: ForwardedRequest) => Promise<Response>

/** The dependencies of a process that answers the delegated routes itself. */
export interface DelegatedOptions {
  readonly ports: PulumiWebhookPorts
  /** Returns the client address of a request as text. */
  readonly addressOf: (context: Context) => string
  readonly exchangeToken: ExchangeToken
}

/**
 * Adds the delegated routes to an app that answers them. The exchange of OIDC tokens writes tokens,
 * and the routes of webhooks use their secrets. On AWS this app is in the function of the API. The
 * function of Pulumi's service forwards the calls, because the role of that function must allow
 * neither.
 */
export function addDelegatedRoutes(app: Hono, options: DelegatedOptions): void {
  const { ports, addressOf, exchangeToken } = options
  // An exchange has no token yet whose rate could be limited, so the rate of its client address is
  // limited.
  const exchangeLimiter = createRateLimiter(ports.clock, {
    burst: apiLimits.addressBurst,
    perSecond: apiLimits.addressPerSecond,
  })
  const deps = createCallDeps(ports, addressOf)
  for (const route of pulumiWebhookRoutes)
    app.on(route.method, honoPathOf(route), context => answerServiceCall(deps, route, context))
  app.post(oauthTokenPath, context =>
    answerSafely(ports, async id => {
      const clientAddress = toPrintable(addressOf(context), 100)
      exchangeLimiter.countRequest(clientAddress)
      return exchangeForClient(exchangeToken, context.req.raw, { id, clientAddress })
    }),
  )
}

/** Adds the delegated routes to an app that forwards their calls to another function. */
export function addForwardedRoutes(
  app: Hono,
  options: Pick<DelegatedOptions, 'addressOf'> & {
    readonly ports: Pick<CallPorts, 'random' | 'logger'>
    readonly forward: ForwardRequest
  },
): void {
  const { ports, addressOf, forward } = options
  const answer = (context: Context): Promise<Response> =>
    answerSafely(ports, async () => {
      const request = context.req.raw
      const body = await readRequestBody(request, apiLimits.bodyBytesMax)
      return forward({ request, body, clientAddress: addressOf(context) })
    })
  for (const route of pulumiWebhookRoutes) app.on(route.method, honoPathOf(route), answer)
  app.post(oauthTokenPath, answer)
}
