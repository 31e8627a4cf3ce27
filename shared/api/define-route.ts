/**
 * api: the common parts of the HTTP functions `api` and `service`: routes, authentication, roles,
 * limits, the audit log, documents and requests. Imports `shared/runtime` and the layers below it.
 *
 * Invariants: a route gets only a caller whose token is valid and whose role allows the call. The
 * audit log has an entry for a change before the change is made.
 */
import * as z from 'zod'
import type { Platform } from '../ports/platform.ts'
import type { AuditPort } from '../ports/audit.ts'
import type { DocumentsPort, MarksPort, SealingPort } from '../ports/documents.ts'
import type { NotificationsPort } from '../ports/notifications.ts'
import type { SchedulerPort } from '../ports/scheduler.ts'
import type { PluginStorePort } from '../ports/plugins.ts'
import type { QueueDepthsPort } from '../ports/queue-depths.ts'
import type { UploadsPort } from '../ports/uploads.ts'
import type { TakeOverDeps } from '../engine/deployment/ownership/take-over.ts'
import type { UsagePort } from '../ports/usage.ts'
import type { DeploymentId, StackId } from '../records/ids.ts'
import type { DeploymentOptions } from '../records/log.ts'
import type { SecretsManager } from '../secrets/crypter.ts'
import type { GroupedPorts } from '../runtime/groups/port-groups.ts'
import type { StackGroup } from '../config/stack-groups.ts'
import type { StoredDeployment } from '../state/stored.ts'
import { createError } from '../errors/error.ts'
import type { DeliverySender } from '../triggers/notifications/delivery-sender.ts'
import type { AddressRules } from '../triggers/outbound/address-filter.ts'
import type { OutboundPort } from '../ports/outbound.ts'
import { formFaultOf } from '../triggers/form-fault.ts'
import { type Caller, requireRole, type Role } from './authorization.ts'
import type { ReleaseSlot } from './stream-slots.ts'
import { parseForm } from '../values/parse-form.ts'

/** The ports of the API. */
export interface ApiPorts
  extends Pick<
      Platform,
      | 'catalog'
      | 'callLimits'
      | 'requests'
      | 'control'
      | 'decisionLog'
      | 'operations'
      | 'archives'
      | 'blobs'
      | 'events'
      | 'chains'
      | 'nudges'
      | 'clock'
      | 'random'
      | 'logger'
      | 'telemetry'
    >,
    GroupedPorts<ApiPorts> {
  /** All groups except the default one. The ports of each group have this list. Absent: none. */
  readonly stackGroups?: readonly StackGroup[]
  /** The name of the group of these ports. Absent: the default one. */
  readonly stackGroup?: string
  readonly documents: DocumentsPort
  /** The public address of the dashboard. Absent if none is configured. */
  readonly publicUrl?: string
  readonly sealing: SealingPort
  /** The marks that count the slots of event streams. */
  readonly marks: MarksPort
  readonly audit: AuditPort
  /** The counted usage of deployments. Absent where deployments cost nothing on AWS. */
  readonly usage?: Pick<UsagePort, 'list'>
  /** Receives each deployment whose events a stream reads, to record the cost of the stream. */
  readonly assignUsage?: (deployment: DeploymentId) => void
  /** The port for uploads of programs and plugins. Absent: the API itself receives programs. */
  readonly uploads?: UploadsPort
  /**
   * The queue of notifications, and its dead letters. The queue belongs to the installation, or to
   * a process that delivers notifications itself.
   */
  readonly notifications: Pick<NotificationsPort, 'send' | 'listDeadLetters' | 'redrive'>
  /**
   * The service that calls the schedule function for due schedules. Absent where a process checks
   * schedules itself.
   */
  readonly scheduler?: SchedulerPort
  /** The store of plugins. Absent where the plugins of the machine are used. */
  readonly plugins?: Pick<PluginStorePort, 'list' | 'registerArchive'>
  /** The depths of the queues. Absent where one process has the only queues. */
  readonly queueDepths?: QueueDepthsPort
  /** The processes that run the requested operations. */
  readonly execute: DeploymentOptions['execute']
  /**
   * The rules for addresses of outbound calls. Receivers of notifications must have an allowed
   * address.
   */
  readonly addresses: AddressRules
  /** Calls to the issuers of federation rules, and to the receivers of notifications. */
  readonly outbound: OutboundPort
  /**
   * Sends the deliveries that callers request. Default: the API sends them itself, for which it
   * opens the secrets of notifications.
   */
  readonly sender?: DeliverySender
  /** The ports that close deployments. Absent where clients of Pulumi are not served. */
  readonly closing?: TakeOverDeps
  /**
   * Whether clients of Pulumi that send no journal entries send checkpoints as differences.
   * Default: they send whole states, which contain every pending operation.
   */
  readonly announcesDeltas?: boolean
  /**
   * Opens the secrets manager of a stack's state. Absent where the API must not decrypt secrets.
   * Throws SECRETS_*.
   */
  readonly openStateSecrets?: (
    stack: StackId,
    state: StoredDeployment,
  ) => Promise<SecretsManager | undefined>
}

/** The access of a call to an event stream. A stream can outlast the validity of its token. */
export interface StreamAccess {
  /** Reports whether the token of the call is still valid. Throws the errors of the store. */
  readonly isTokenValid: () => Promise<boolean>
  /** Takes a slot for a stream of the token. Throws API_RATE_LIMITED. */
  readonly takeSlot: () => Promise<ReleaseSlot>
}

/**
 * An authorized call of a route. The `run` of a `RouteRow` gets a validated query and body. The
 * `answer` of a `Route` gets them before their validation.
 */
export interface RouteCall<Query, Body> {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly request: Request
  readonly stream: StreamAccess
}

/** The result of a route: JSON, with a status if it differs from the route's, or a response. */
export type RouteResult =
  | { readonly json: unknown; readonly status?: 200 | 201 | 202 | 409 }
  | { readonly response: Response }

/**
 * The stacks that the token of a call must cover: the stack in the path, all stacks
 * (`installation`), or none in particular.
 */
export type RouteScope = 'stack' | 'installation' | 'any'

/** A route as a row of the table. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path, with `{name}` for its parameters. */
  readonly path: string
  readonly role: Role
  readonly scope: RouteScope
  /**
   * Whether a route with the scope `installation` concerns all groups of stacks. Absent: it
   * concerns the group in the header `antichain-group`, or else the default one.
   */
  readonly isForAllGroups?: boolean
  /** The description for the OpenAPI document. */
  readonly summary: string
  readonly query: z.ZodType
  readonly body: z.ZodType
  /** The fields of the body that require a higher role than the route. */
  readonly fieldRoles?: Readonly<Record<string, Role>>
  /** The body of a route whose input is not JSON. */
  readonly rawBody?: { readonly type: string; readonly bytesMax: number }
  readonly output: z.ZodType
  /** The fields of the 409 response of the route, besides code, message and hint. */
  readonly conflict?: z.ZodObject
  /** The content type of a response that is not JSON. */
  readonly outputType?: string
  readonly status: 200 | 201 | 202
  /**
   * Validates the input of a call, and runs the route. Throws API_INPUT_INVALID, API_FORBIDDEN, and
   * the errors of `run`.
   */
  readonly answer: (ports: ApiPorts, call: RouteCall<unknown, unknown>) => Promise<RouteResult>
}

/** A route as its file declares it: `query`, `body` and `status` are optional. */
export interface RouteRow<Query extends z.ZodType, Body extends z.ZodType>
  extends Omit<Route, 'answer' | 'query' | 'body' | 'status'> {
  readonly query?: Query
  readonly body?: Body
  readonly status?: Route['status']
  readonly run: (
    ports: ApiPorts,
    call: RouteCall<z.infer<Query>, z.infer<Body>>,
  ) => Promise<RouteResult | { readonly json: unknown }>
}

const anyInput = z.unknown()

/** Creates a row of the table. It validates the query and the body before it calls `run`. */
export function defineRoute<
  Query extends z.ZodType = typeof anyInput,
  Body extends z.ZodType = typeof anyInput,
>(row: RouteRow<Query, Body>): Route {
  const { run, ...routeFields } = row
  const query: z.ZodType = row.query ?? anyInput
  const body: z.ZodType = row.body ?? anyInput
  return {
    ...routeFields,
    query,
    body,
    status: row.status ?? 200,
    answer: async (ports, call) => {
      requireFieldRoles(row.fieldRoles, call)
      return run(ports, {
        ...call,
        query: parseInput(query, call.query, 'query') as z.infer<Query>,
        body: parseInput(body, call.body, 'body') as z.infer<Body>,
      })
    },
  }
}

/**
 * Requires the roles that `fieldRoles` lists for the fields of the body, except for fields that are
 * false. Throws API_FORBIDDEN.
 */
function requireFieldRoles(
  fieldRoles: Route['fieldRoles'] = {},
  { body, caller }: RouteCall<unknown, unknown>,
): void {
  if (typeof body !== 'object' || body === null) return
  for (const [field, role] of Object.entries(fieldRoles))
    if (Object.hasOwn(body, field) && Reflect.get(body, field) !== false)
      requireRole(caller, role, `the field '${field}'`)
}

/**
 * Returns a section of a request as its schema describes it. Throws API_INPUT_INVALID with the
 * location of the error.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  section: string,
): z.infer<Schema> {
  const parseResult = parseForm(schema, value)
  if (parseResult.success) return parseResult.data
  const fault = formFaultOf(parseResult.error, value)
  const location = fault.location === '' ? section : `${section}.${fault.location}`
  throw createError('API_INPUT_INVALID', `${location}: ${fault.requirement}`, {
    details: { at: location },
  })
}

/** Returns the stack of a path. */
export function stackOf(params: RouteCall<unknown, unknown>['params']): StackId {
  return `organization/${params['project'] ?? ''}/${params['stack'] ?? ''}` as StackId
}
