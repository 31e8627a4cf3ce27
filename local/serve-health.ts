import type { Context, Hono } from 'hono'
import { authenticate, readBearerToken } from '../shared/api/authenticate.ts'
import { requirePermission } from '../shared/api/authorization.ts'
import type { ApiPorts } from '../shared/api/define-route.ts'
import { toErrorResponse } from '../shared/api/error-response.ts'
import type { RateLimiter } from '../shared/api/rate-limit.ts'
import { stackIdOf } from '../shared/records/ids.ts'
import { collectMetrics, type MetricPorts } from './collect-metrics.ts'
import { formatPrometheus, prometheusContentType } from './prometheus-text.ts'

/** The dependencies of the routes of health and metrics. */
export interface HealthRouteOptions {
  readonly ports: MetricPorts & Pick<ApiPorts, 'documents' | 'clock' | 'catalog'>
  /** Returns the client address of a request. */
  readonly addressOf: (context: Context) => string
  /** The limiter of the API, so that all requests of an address count together. */
  readonly addressLimiter: RateLimiter
}

/** The stack whose record `/ready` reads. It does not exist: no project has the name `.`. */
const probedStack = stackIdOf('.', 'ready')

/** Time in which the store must answer, in ms. */
const readyTimeoutMs = 2_000

/**
 * Adds `GET /health`, `GET /ready` and `GET /metrics` to an app. `/health` responds while the
 * process runs, and `/ready` reports whether the store answers. Both need no token and show no
 * names. `/metrics` needs a token that may read all stacks.
 */
export function addHealthRoutes(
  app: Hono,
  { ports, addressOf, addressLimiter }: HealthRouteOptions,
): void {
  const addRoute = (path: string, answer: (context: Context) => Promise<Response>): void => {
    app.get(path, async context => {
      try {
        addressLimiter.countRequest(addressOf(context))
        const response = await answer(context)
        response.headers.set('cache-control', 'no-store')
        return response
      } catch (thrown) {
        return toErrorResponse(thrown, '')
      }
    })
  }
  addRoute('/health', () => Promise.resolve(Response.json({ status: 'ok' })))
  addRoute('/ready', async () => {
    const isReady = await Promise.race([
      ports.catalog.getStack(probedStack).then(
        () => true,
        () => false,
      ),
      ports.clock.sleep(readyTimeoutMs).then(() => false),
    ])
    const status = isReady ? 'ready' : 'the store does not answer'
    return Response.json({ status }, { status: isReady ? 200 : 503 })
  })
  addRoute('/metrics', async context => {
    const token = readBearerToken(context.req.header('authorization'))
    requirePermission(await authenticate(ports, token), 'read', 'installation')
    const text = formatPrometheus(await collectMetrics(ports))
    return new Response(text, { headers: { 'content-type': prometheusContentType } })
  })
}
