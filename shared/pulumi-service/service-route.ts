import type * as z from 'zod'
import type { TakeOverDeps } from '../engine/deployment/ownership/take-over.ts'
import { createError } from '../errors/error.ts'
import type { SealingPort } from '../ports/documents.ts'
import type { StoredEnvelope } from '../state/stored.ts'
import { organizationName } from '../triggers/notifications/pulumi-payload.ts'
import type { GroupedPorts } from '../runtime/groups/port-groups.ts'
import type { Caller, Role } from '../api/authorization.ts'
import { type ApiPorts, parseInput } from '../api/define-route.ts'
import type { ClientLogs } from './client-logs.ts'
import type { StoredUpdate } from './client-update.ts'

/** The ports of the service for clients of Pulumi. */
export interface ServicePorts
  extends Pick<
      ApiPorts,
      | 'catalog'
      | 'requests'
      | 'control'
      | 'decisionLog'
      | 'operations'
      | 'archives'
      | 'blobs'
      | 'events'
      | 'nudges'
      | 'clock'
      | 'random'
      | 'logger'
      | 'telemetry'
      | 'documents'
      | 'audit'
      | 'scheduler'
      | 'announcesDeltas'
      | 'execute'
      | 'stackGroups'
    >,
    GroupedPorts<ServicePorts> {
  /** Seals the data keys of stacks for the secrets manager `service`. */
  readonly sealing: SealingPort
  /** The ports with which the service starts and closes deployments of clients. */
  readonly closing: TakeOverDeps
  readonly clientLogs: ClientLogs
}

/** An authenticated call of a client of Pulumi. */
export interface ServiceCall {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  /** The first value of each query parameter. */
  readonly query: Readonly<Record<string, string>>
  /** Returns the values of a query parameter that can be repeated. */
  readonly queryList: (name: string) => readonly string[]
  /** The JSON of the body, unpacked. Undefined for an empty body, and for a state. */
  readonly body: unknown
  /** The text of the body, unpacked. Empty for a state. */
  readonly text: string
  /** The state in the body, if the body of the route is a state. */
  readonly state: StoredEnvelope | undefined
  /** The address of the service, as the client uses it. */
  readonly origin: string
  /** Returns a header of the request. */
  readonly header: (name: string) => string | undefined
}

/** The role that a call requires. `lease`: the lease token of an update, not an API token. */
export type ServiceRole = Role | 'lease'

/**
 * A route of Pulumi's service API. A route with `{stack}` in its path requires a token that covers
 * the stack.
 */
export interface ServiceRoute<Ports = ServicePorts> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly role: ServiceRole
  /** Whether the body is an envelope with a state, which is read in parts. */
  readonly hasStateBody?: boolean
  /** Maximum size of the unpacked body. Absent: that of JSON requests. */
  readonly bodyBytesMax?: number
  /** Whether a call changes no stack although it is no GET. The audit log omits such a call. */
  readonly isUnaudited?: boolean
  /** Returns the JSON of the response, or a response. Undefined: an empty object. */
  readonly run: (ports: Ports, call: ServiceCall) => Promise<unknown>
}

/** Returns the path of a route in the syntax of the router. */
export function honoPathOf({ path }: Pick<ServiceRoute, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** A call of a route whose path names an update, with the lease of the update. */
export interface LeasedCall extends ServiceCall {
  readonly update: StoredUpdate
  /** The lease token of the call. A renewal returns it again, so that no call in flight fails. */
  readonly leaseToken: string
}

/** The name of the only organization. Every stack belongs to it. */
export const organization = organizationName

/** The path of a stack. */
export const stackPath = '/api/stacks/{org}/{project}/{stack}'

/** The path of an update. Clients use it for every kind of update. */
export const updatePath = `${stackPath}/update/{update}`

/** Returns the body as its schema describes it. Throws API_INPUT_INVALID. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  { body }: Pick<ServiceCall, 'body'>,
): z.infer<Schema> {
  return parseInput(schema, body, 'body')
}

/** Throws API_ROUTE_UNKNOWN for a path of another organization. */
export function requireOrganization({ org }: Readonly<Record<string, string>>): void {
  if (org === undefined || org === organization) return
  throw createError(
    'API_ROUTE_UNKNOWN',
    `there is no organization '${org}', only '${organization}'`,
  )
}
