import { Agent, createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { localCloudLimits } from '../../../shared/config/local-cloud-limits.ts'
import { messageOf } from '../../../shared/errors/error.ts'
import type { AwsService } from '../../../shared/platform/aws/clients.ts'
import { emulatorCredentials } from '../../emulators/emulators.ts'
import { addTraceToMessages } from '../invocation-lineage.ts'
import { createDenialReply } from './denial-reply.ts'
import type { AccountLocation, RequiredPermission, ServiceRequest } from './required-permission.ts'
import { missingObjectPermissionOf } from './s3-permissions.ts'
import { permissionReaders } from './service-permissions.ts'
import { type RolePolicies, simulatePermission } from './simulate-permission.ts'

/** A request that the role of its sender does not allow. */
export interface Denial {
  readonly role: string
  readonly permission: RequiredPermission
}

/** A use of a permission that a statement of a role gives. */
export interface PermissionUse {
  readonly role: string
  readonly action: string
  /** The index of the statement in the role. */
  readonly statement: number
}

/** Reports whether an administrator has revoked the permission of a role for an action. */
export type IsRevoked = (role: string, action: string) => boolean

/** The options of the proxies of one function or task. */
export interface PermissionProxyOptions {
  readonly location: AccountLocation
  readonly configuration: RolePolicies
  /** The address of each service. */
  readonly upstreams: Readonly<Partial<Record<AwsService, string>>>
  /** Reports whether an action in the template is revoked from the role. */
  readonly isRevoked?: IsRevoked
  readonly onDenial: (denial: Denial) => void
  readonly onUse: (use: PermissionUse) => void
  readonly onFailure: (reason: string) => void
}

/** The proxies of one function or task, one for each service. */
export interface PermissionProxies {
  /** The loopback address of each service, for the process. */
  readonly urls: Readonly<Partial<Record<AwsService, string>>>
  readonly close: () => Promise<void>
}

/**
 * Starts a proxy in front of each service. A proxy forwards a request only if the role allows the
 * request, and otherwise responds as the service does on AWS. The address of the proxy identifies
 * the role, because all processes sign with the credentials of the emulators. Requests with other
 * credentials come from an assumed role, and are forwarded unchecked.
 */
export async function startPermissionProxies(
  options: PermissionProxyOptions,
): Promise<PermissionProxies> {
  const agent = new Agent({ keepAlive: true })
  const servers: Server[] = []
  const { location } = options
  const findDenied = createPermissionCheck(options)
  const startProxy = async ([service, upstream]: [string, string]) => {
    const server = createServer(
      { keepAliveTimeout: localCloudLimits.proxyKeepAliveMs },
      (clientRequest, clientResponse) => {
        forwardIfAllowed(
          { service: service as AwsService, upstream, agent, location, findDenied },
          clientRequest,
          clientResponse,
        )
          .catch((thrown: unknown) => {
            if (!clientResponse.destroyed) options.onFailure(`${service}: ${messageOf(thrown)}`)
          })
          .finally(
            () =>
              clientResponse.destroyed || clientResponse.writableEnded || clientResponse.destroy(),
          )
      },
    )
    servers.push(server)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return [service, `http://127.0.0.1:${port}`] as const
  }
  const close = async (): Promise<void> => {
    for (const server of servers) server.closeAllConnections()
    await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
    agent.destroy()
  }
  const startups = Object.entries(options.upstreams).map(startProxy)
  try {
    return { urls: Object.fromEntries(await Promise.all(startups)), close }
  } catch (thrown) {
    await Promise.allSettled(startups)
    await close()
    throw thrown
  }
}

/**
 * Returns the first of the permissions that the role does not have, or undefined if the role has
 * all of them. Reports each decision.
 */
type FindDeniedPermission = (
  permissions: readonly RequiredPermission[],
) => Promise<RequiredPermission | undefined>

/** Creates the check of one role's permissions. Equal permissions are simulated once. */
function createPermissionCheck(options: PermissionProxyOptions): FindDeniedPermission {
  const { configuration, location, isRevoked, onDenial, onUse } = options
  const { role } = configuration
  const decisions = new Map<string, ReturnType<typeof simulatePermission>>()
  return async permissions => {
    for (const permission of permissions) {
      const key = JSON.stringify(permission)
      const cached = decisions.get(key)
      const simulation = cached ?? simulatePermission(location.account, configuration, permission)
      if (cached === undefined) decisions.set(key, simulation)
      if (decisions.size > localCloudLimits.permissionDecisionsMax) decisions.clear()
      const decision = await simulation
      if (decision.kind === 'denied' || isRevoked?.(role, permission.action) === true) {
        onDenial({ role, permission })
        return permission
      }
      for (const statement of decision.statementIndexes)
        onUse({ role, action: permission.action, statement })
    }
    return undefined
  }
}

/** The service behind a proxy, with the check of its requests. */
interface ProxyRoute {
  readonly service: AwsService
  readonly upstream: string
  readonly agent: Agent
  readonly location: AccountLocation
  readonly findDenied: FindDeniedPermission
}

async function forwardIfAllowed(
  { service, upstream, agent, location, findDenied }: ProxyRoute,
  clientRequest: IncomingMessage,
  clientResponse: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: target = '/' } = clientRequest
  const headers = headersOf(clientRequest)
  // Objects may be large, and their permissions do not depend on the body.
  const body = service === 'S3' ? undefined : await readRequestBody(service, clientRequest, headers)
  const request = { method, target, headers, body: body ?? '' }
  const isOwn = isOwnRequest(headers, target)
  const denied = isOwn ? await findDenied(permissionReaders[service](request, location)) : undefined
  if (denied !== undefined) {
    clientRequest.resume()
    sendDenial(service, denied, clientResponse)
    return
  }
  // The header `host` stays as the client signed it.
  const sizeHeader = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options = { method, agent, headers: { ...clientRequest.headers, ...sizeHeader } }
  const upstreamRequest = sendRequest(`${upstream}${target}`, options)
  const pendingResponse = new Promise<IncomingMessage>((resolve, reject) => {
    upstreamRequest.once('response', resolve)
    upstreamRequest.once('error', reject)
  })
  clientResponse.once('close', () => clientResponse.writableEnded || upstreamRequest.destroy())
  if (body === undefined) void pipeline(clientRequest, upstreamRequest).catch(() => undefined)
  else upstreamRequest.end(body)
  const upstreamResponse = await pendingResponse
  const { statusCode = 502 } = upstreamResponse
  if (isOwn && service === 'S3' && statusCode === 404) {
    const permission = missingObjectPermissionOf(request)
    const deniedListing = permission === undefined ? undefined : await findDenied([permission])
    if (deniedListing !== undefined) {
      upstreamResponse.resume()
      sendDenial(service, deniedListing, clientResponse)
      return
    }
  }
  clientResponse.writeHead(statusCode, upstreamResponse.headers)
  await pipeline(upstreamResponse, clientResponse)
}

function sendDenial(
  service: AwsService,
  permission: RequiredPermission,
  clientResponse: ServerResponse,
): void {
  const { status, headers, body } = createDenialReply(service, permission)
  clientResponse.writeHead(status, headers).end(body)
}

/**
 * Reports whether a request is signed with the credentials that functions and tasks have, or is
 * unsigned.
 */
function isOwnRequest(headers: ServiceRequest['headers'], target: string): boolean {
  const queryCredential = new URL(target, 'http://service').searchParams.get('X-Amz-Credential')
  const credential =
    queryCredential ?? /Credential=([^,\s]+)/.exec(headers['authorization'] ?? '')?.[1] ?? ''
  return credential === '' || credential.startsWith(`${emulatorCredentials.AWS_ACCESS_KEY_ID}/`)
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : value,
    ]),
  )
}

/** Returns the body. Messages to SQS receive the trace header of their sender. */
async function readRequestBody(
  service: AwsService,
  request: IncomingMessage,
  headers: ServiceRequest['headers'],
): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const traceHeader = headers['x-amzn-trace-id']
  return service !== 'SQS' || traceHeader === undefined
    ? body
    : addTraceToMessages(body, traceHeader)
}
