import { z } from 'zod'
import type { Platform } from '../../shared/ports/platform.ts'
import type { AuditPort } from '../../shared/ports/audit.ts'
import type { DocumentsPort, SealingPort } from '../../shared/ports/documents.ts'
import type { NotificationsPort } from '../../shared/ports/notifications.ts'
import type { SchedulerPort } from '../../shared/ports/scheduler.ts'
import type { PluginStorePort } from '../../shared/ports/plugins.ts'
import type { UploadsPort } from '../../shared/ports/uploads.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { DeploymentOptions } from '../../shared/records/log.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { error } from '../../shared/errors/error.ts'
import type { AddressRules } from '../../shared/triggers/outbound/address-filter.ts'
import { formFaultOf } from '../../shared/triggers/form-fault.ts'
import type { Caller, Role } from './roles.ts'

/** What the API asks of the outside. */
export interface ApiPorts
  extends Pick<
    Platform,
    | 'catalog'
    | 'requests'
    | 'control'
    | 'decisionLog'
    | 'operations'
    | 'blobs'
    | 'events'
    | 'chains'
    | 'nudges'
    | 'clock'
    | 'random'
    | 'logger'
  > {
  readonly documents: DocumentsPort
  readonly sealing: SealingPort
  readonly audit: AuditPort
  /** Where programs are sent when not through the API itself. */
  readonly uploads?: UploadsPort
  /** What nobody could be told: those of a process, where it tells by itself. */
  readonly notifications: Pick<NotificationsPort, 'listDeadLetters' | 'redrive'>
  /** Who calls when a schedule is due; absent where a process looks at them by itself. */
  readonly scheduler?: SchedulerPort
  /** Where plugins are kept; absent where they are those of the machine. */
  readonly plugins?: Pick<PluginStorePort, 'nameArchive'>
  /** Who runs the operations of what is asked for here. */
  readonly execute: DeploymentOptions['execute']
  /** Which addresses those who are told may have: those that calls to the outside reach. */
  readonly addresses: AddressRules
  /** Opens the secrets of a state; absent where the API must not. Throws SECRETS_*. */
  readonly secretsOf?: (state: StoredDeployment) => Promise<SecretsManager | undefined>
}

/** One call of a route: checked, and by somebody who may. */
export interface RouteCall<Query, Body> {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly request: Request
}

/** What a route answers: JSON with a status, or a response of its own. */
export type RouteAnswer =
  | { readonly json: unknown; readonly status?: 200 | 201 | 202 | 409 }
  | { readonly response: Response }

/**
 * Whom a route is for, besides its role: tokens of the stack in its path, tokens of all stacks, or
 * any token.
 */
export type RouteScope = 'stack' | 'installation' | 'any'

/** A route as a row of the table. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `{name}` for its parameters. */
  readonly path: string
  readonly role: Role
  readonly scope: RouteScope
  /** What it does, for the OpenAPI document. */
  readonly summary: string
  readonly query: z.ZodType
  readonly body: z.ZodType
  /** What its body is when that is no JSON. */
  readonly raw?: { readonly type: string; readonly bytesMax: number }
  readonly output: z.ZodType
  /** What its answer with 409 has beside code, message and hint. */
  readonly conflict?: z.ZodObject
  /** What its answer is when that is no JSON. */
  readonly outputType?: string
  readonly status: 200 | 201 | 202
  /** Throws API_INPUT_INVALID and what it documents. */
  readonly answer: (ports: ApiPorts, call: RouteCall<unknown, unknown>) => Promise<RouteAnswer>
}

/** What a row is written as: `query`, `body` and `status` may be left out. */
export interface RouteRow<Query extends z.ZodType, Body extends z.ZodType>
  extends Omit<Route, 'answer' | 'query' | 'body' | 'status'> {
  readonly query?: Query
  readonly body?: Body
  readonly status?: Route['status']
  readonly run: (
    ports: ApiPorts,
    call: RouteCall<z.infer<Query>, z.infer<Body>>,
  ) => Promise<RouteAnswer | { readonly json: unknown }>
}

const nothing = z.unknown()

/** Makes a row of the table, whose input is checked before it runs. */
export function defineRoute<
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(row: RouteRow<Query, Body>): Route {
  const { run, ...rest } = row
  const query: z.ZodType = row.query ?? nothing
  const body: z.ZodType = row.body ?? nothing
  return {
    ...rest,
    query,
    body,
    status: row.status ?? 200,
    answer: (ports, call) =>
      run(ports, {
        ...call,
        query: parseInput(query, call.query, 'query') as z.infer<Query>,
        body: parseInput(body, call.body, 'body') as z.infer<Body>,
      }),
  }
}

function parseInput(shape: z.ZodType, value: unknown, where: string): unknown {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const fault = formFaultOf(result.error, value)
  const at = fault.at === '' ? where : `${where}.${fault.at}`
  throw error('API_INPUT_INVALID', `${at}: ${fault.must}`, { details: { at } })
}

/** The stack that a path names. */
export function stackOf(params: RouteCall<unknown, unknown>['params']): StackId {
  return `organization/${params['project'] ?? ''}/${params['stack'] ?? ''}` as StackId
}
