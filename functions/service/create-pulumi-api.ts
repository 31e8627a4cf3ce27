/**
 * service: the function that answers Pulumi's own command line on AWS. It imports no other
 * function. `shared/pulumi-service` has the routes, and `shared/api` authentication and limits.
 *
 * Invariant: the role of this function writes no tokens, and opens no secrets of webhooks. The
 * routes that need this are delegated to the API.
 */
import { Hono } from 'hono'
import { createError } from '../../shared/errors/error.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { observeRequests } from '../../shared/api/observe-requests.ts'
import { addSecureHeaders } from '../../shared/api/secure-headers.ts'
import {
  addServiceRoutes,
  type ServiceOptions,
} from '../../shared/pulumi-service/add-service-routes.ts'
import {
  addForwardedRoutes,
  type ForwardRequest,
} from '../../shared/pulumi-service/delegated-routes.ts'
import { toServiceErrorResponse } from '../../shared/pulumi-service/service-error.ts'

/**
 * Creates an app that serves only clients of Pulumi. On AWS, a separate function runs this app.
 * `forward` sends the delegated routes to the API.
 */
export function createPulumiApi(
  options: ServiceOptions & { readonly forward: ForwardRequest },
): Hono {
  const { random } = options.ports
  const app = new Hono()
  observeRequests(app, options.ports.telemetry)
  addSecureHeaders(app)
  addForwardedRoutes(app, options)
  addServiceRoutes(app, options)
  app.notFound(({ req }) => {
    const requestLine = toPrintable(`${req.method} ${req.path}`)
    const message = `this address serves only Pulumi's command line, and has no route ${requestLine}`
    return toServiceErrorResponse(createError('API_ROUTE_UNKNOWN', message), random.uuid())
  })
  app.onError(thrown => toServiceErrorResponse(thrown, random.uuid()))
  return app
}
