/**
 * service: Pulumi's service API, so that Pulumi's own command line can use the stacks of this
 * installation. Its routes have the tokens, roles, audit log and records of our own API. An update
 * of such a client is a deployment, whose decisions are the journal entries that the client sends.
 *
 * Invariants: the body of every error has the status as `code`. A call with a lease token changes
 * no deployment that another process has taken over. Such a call requires an unexpired lease,
 * unless it reports the end of the update. A response with success follows the durable write.
 */
import type { Context, Hono } from 'hono'
import { createError } from '../errors/error.ts'
import type { RandomPort } from '../ports/system.ts'
import { createPortGroup, type GroupedPorts } from '../runtime/groups/port-groups.ts'
import { toPrintable } from '../triggers/printable.ts'
import { createClientLogs } from './client-logs.ts'
import { answerServiceCall, createCallDeps } from './service-calls.ts'
import { toServiceErrorResponse } from './service-error.ts'
import { honoPathOf, type ServicePorts } from './service-route.ts'
import { serviceRoutes } from './service-table.ts'

/** The ports of the service without the logs of clients, which `addServiceRoutes` adds. */
export interface ServicePortsWithoutLogs
  extends Omit<ServicePorts, 'clientLogs' | 'otherGroups'>,
    GroupedPorts<ServicePortsWithoutLogs> {}

/** The dependencies of the service. */
export interface ServiceOptions {
  readonly ports: ServicePortsWithoutLogs
  /** Returns the client address of a request as text. */
  readonly addressOf: (context: Context) => string
}

/**
 * Answers 404 for every path below `/api` without a delegated route (`delegated-routes.ts`). The
 * answer names the address that serves clients, if there is one.
 */
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
    toServiceErrorResponse(createError('API_ROUTE_UNKNOWN', message), random.uuid()),
  )
}

/**
 * Adds the routes of the service to an app, after its delegated routes (`delegated-routes.ts`). Any
 * other path below `/api` is answered with 404.
 */
export function addServiceRoutes(app: Hono, options: ServiceOptions): void {
  const ports = withClientLogs(options.ports)
  const deps = createCallDeps<ServicePorts>(ports, options.addressOf)
  for (const route of serviceRoutes)
    app.on(route.method, honoPathOf(route), context => answerServiceCall(deps, route, context))
  app.all('/api/*', context => {
    const requestLine = toPrintable(`${context.req.method} ${context.req.path}`)
    const routeError = createError('API_ROUTE_UNKNOWN', `the service has no route ${requestLine}`)
    return toServiceErrorResponse(routeError, ports.random.uuid())
  })
}

function withClientLogs({ otherGroups = [], ...ports }: ServicePortsWithoutLogs): ServicePorts {
  return {
    ...ports,
    clientLogs: createClientLogs(ports),
    otherGroups: otherGroups.map(group =>
      createPortGroup(group, () => withClientLogs(group.ports)),
    ),
  }
}
