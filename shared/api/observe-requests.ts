import type { Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { TelemetryPort } from '../ports/telemetry.ts'
import { observeRequest } from '../runtime/telemetry/observe-request.ts'

/**
 * Records every request to the app. The route is the template of the last matched route, or `*`
 * without one. A streamed response is recorded when it begins.
 */
export function observeRequests(app: Hono, telemetry: TelemetryPort): void {
  if (!telemetry.isOn) return
  app.use('*', async (context, next) => {
    const { method } = context.req
    await observeRequest(telemetry, method, async () => {
      await next()
      const route = matchedRoutes(context).findLast(({ path }) => !path.endsWith('*'))?.path ?? '*'
      return { result: undefined, answered: { route, status: context.res.status } }
    })
  })
}
