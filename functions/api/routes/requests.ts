import { z } from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { type DeployError, error } from '../../../shared/errors/error.ts'
import { toPrintable } from '../../../shared/triggers/printable.ts'
import { hiddenFeatures } from '../../../shared/records/log.ts'
import type { DeploymentRequest, KeptRequest } from '../../../shared/records/request.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { archiveForm } from '../archive-forms.ts'
import { errorBodyOf } from '../error-response.ts'
import { mayAct } from '../roles.ts'
import { type ApiPorts, type RouteCall, defineRoute, stackOf } from '../define-route.ts'

/** Maximum number of concurrent operations that a request may set. */
const parallelMax = 10_000
/** The default concurrency. Functions start on demand, and deletes run in parallel. */
const parallelUsual = 1_000

/** URNs, or URN patterns. */
const urns = z.array(z.string().min(1).max(apiLimits.urnMax)).max(apiLimits.urnsMax).default([])

const targetingBody = z.strictObject({
  targets: urns,
  excludes: urns,
  replaces: urns,
  targetDependents: z.boolean().default(false),
  excludeDependents: z.boolean().default(false),
  excludeProtected: z.boolean().default(false),
})

const requestBody = z.strictObject({
  command: z.enum(['up', 'refresh', 'destroy']),
  parallel: z.int().min(1).max(parallelMax).default(parallelUsual),
  refresh: z.boolean().default(false),
  continueOnError: z.boolean().default(false),
  message: z.string().max(2000).default(''),
  /** Run the program too, which a destroy or refresh does not need by itself. */
  runProgram: z.boolean().optional(),
  legacyDiff: z.literal(true).optional(),
  legacyRefreshDiff: z.literal(true).optional(),
  withoutFeatures: z.array(z.enum(hiddenFeatures)).max(hiddenFeatures.length).optional(),
  ignoreProtect: z.literal(true).optional(),
  release: z.enum(['dataflow', 'antichain']).optional(),
  /** The selected resources. Absent: all. */
  targeting: targetingBody.optional(),
  /** An uploaded archive. Absent: the program of the stack. */
  archive: archiveForm.optional(),
})

/** The error code of a request that its caller withdrew. */
const withdrawn = 'DEPLOYMENT_CANCELLED'

/** A request in the API. */
const requestView = z.object({
  key: z.string(),
  stack: z.string(),
  by: z.string(),
  at: z.number(),
  dryRun: z.boolean(),
  command: z.string(),
  message: z.string(),
  /** The result; absent while the request is waiting. */
  end: z.looseObject({ kind: z.string() }).optional(),
})

const created = {
  method: 'POST',
  scope: 'stack',
  status: 202,
  body: requestBody,
  output: requestView,
} as const

/** Routes for requesting deployments and previews, and for their results. */
export const requestRoutes = [
  defineRoute({
    ...created,
    path: '/v1/stacks/{project}/{stack}/deployments',
    role: 'deploy',
    summary:
      'Request a deployment. The header idempotency-key identifies it: a repeated request has no further effect.',
    run: (ports, call) => putRequest(ports, call, false),
  }),
  defineRoute({
    ...created,
    path: '/v1/stacks/{project}/{stack}/previews',
    role: 'preview',
    summary:
      'Request a preview. Only the role deploy may upload a program, because programs run code.',
    run: (ports, call) => putRequest(ports, call, true),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/requests',
    role: 'read',
    scope: 'stack',
    summary: 'List the waiting requests of a stack, oldest first',
    output: z.object({ items: z.array(requestView) }),
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const waiting = await ports.requests.listWaiting(id, apiLimits.waitingMax)
      return { json: { items: waiting.map(request => requestViewOf({ request })) } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/requests/{key}',
    role: 'read',
    scope: 'stack',
    summary: 'Get a request and its result',
    output: requestView,
    run: async (ports, { params }) => ({
      json: requestViewOf(await requireRequest(ports, params)),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/stacks/{project}/{stack}/requests/{key}',
    role: 'preview',
    scope: 'stack',
    summary: 'Withdraw a waiting request; a request that has begun or ended is a conflict',
    output: requestView,
    conflict: requestView,
    run: async (ports, call) => {
      const found = await withdrawRequest(ports, call)
      const late = tooLateError(found)
      if (late === undefined) return { json: requestViewOf(found) }
      return { json: { ...requestViewOf(found), ...errorBodyOf(late) }, status: 409 }
    },
  }),
]

/**
 * Ends a waiting request as withdrawn. An earlier end takes precedence. Throws REQUEST_UNKNOWN,
 * API_FORBIDDEN.
 */
async function withdrawRequest(
  ports: ApiPorts,
  { params, caller }: RouteCall<unknown, unknown>,
): Promise<KeptRequest> {
  const found = await requireRequest(ports, params)
  const { stack, key, dryRun } = found.request
  if (!dryRun && !mayAct(caller.role, 'deploy'))
    throw error('API_FORBIDDEN', 'withdrawing a deployment requires the role deploy')
  if (found.end === undefined)
    await ports.requests.end(stack, key, {
      kind: 'refused',
      code: withdrawn,
      message: 'the request was withdrawn before it began',
    })
  // An earlier end takes precedence: the deployment may have begun a moment ago.
  return requireRequest(ports, params)
}

/**
 * Returns REQUEST_BEGUN for a request that was withdrawn too late. Undefined for a withdrawn one.
 */
function tooLateError({ request, end }: KeptRequest): DeployError | undefined {
  if (end === undefined || (end.kind === 'refused' && end.code === withdrawn)) return undefined
  const came = end.kind === 'started' ? `it started ${end.deployment}` : `it was ${end.kind}`
  const message = `the request '${toPrintable(request.key)}' is no longer waiting: ${came}`
  return error('REQUEST_BEGUN', message)
}

/** Returns the request of a path. Throws REQUEST_UNKNOWN. */
export async function requireRequest(
  { requests }: Pick<ApiPorts, 'requests'>,
  params: RouteCall<unknown, unknown>['params'],
): Promise<KeptRequest> {
  const key = params['key'] ?? ''
  const found = await requests.find(stackOf(params), key)
  if (found === undefined)
    throw error('REQUEST_UNKNOWN', `the stack has no request '${toPrintable(key)}'`)
  return found
}

/**
 * Puts a request and sends a nudge. The archive of an `up` becomes the program of the stack, so
 * that a schedule does not deploy an older one. Throws REQUEST_KEY_TAKEN, REQUEST_QUEUE_FULL.
 */
async function putRequest(
  ports: ApiPorts,
  { params, body, caller, request }: RouteCall<unknown, z.infer<typeof requestBody>>,
  dryRun: boolean,
): Promise<{ readonly json: unknown }> {
  const { id: stack } = await requireStack(ports, stackOf(params))
  const { archive, release, ignoreProtect, targeting, runProgram, ...others } = body
  const { legacyDiff, legacyRefreshDiff, withoutFeatures, ...rest } = others
  const requested: DeploymentRequest = {
    stack,
    key: idempotencyKeyOf(request, ports),
    at: ports.clock.now(),
    by: `${caller.name} (API)`,
    dryRun,
    options: {
      ...rest,
      execute: ports.execute,
      ...(runProgram === true ? { runProgram } : {}),
      ...(legacyDiff === undefined ? {} : { legacyDiff }),
      ...(legacyRefreshDiff === undefined ? {} : { legacyRefreshDiff }),
      ...(withoutFeatures === undefined ? {} : { withoutFeatures }),
      ...(release === undefined ? {} : { release }),
      ...(targeting === undefined ? {} : { targeting }),
      ...(ignoreProtect === undefined ? {} : { ignoreProtect }),
    },
    program: archive === undefined ? { kind: 'last' } : { kind: 'archive', archive },
  }
  const kept =
    (await ports.requests.find(stack, requested.key)) ?? (await enqueue(ports, requested))
  const found = requireSameRequest(kept, requested)
  // The process that put the request may have died before this, so a repetition does it too.
  if (found.end === undefined) {
    if (archive !== undefined && !dryRun && body.command === 'up')
      await ports.requests.putProgram(stack, archive)
    await ports.nudges.nudge(stack, 0)
  }
  return { json: requestViewOf(found) }
}

async function enqueue(ports: ApiPorts, requested: DeploymentRequest): Promise<KeptRequest> {
  const { requests } = ports
  const { stack, key } = requested
  const waiting = await requests.listWaiting(stack, apiLimits.waitingMax)
  if (waiting.length >= apiLimits.waitingMax)
    throw error('REQUEST_QUEUE_FULL', `${waiting.length} requests are waiting for the stack`)
  if (await requests.put(requested)) return { request: requested }
  // Another call with the same key was faster.
  return (await requests.find(stack, key)) ?? { request: requested }
}

/** Returns the key in the request's header, or a new one. Throws API_INPUT_INVALID. */
function idempotencyKeyOf(request: Request, { random }: ApiPorts): string {
  const header = request.headers.get('idempotency-key')
  if (header === null) return random.uuid()
  if (/^[\w.:@-]{1,200}$/.test(header)) return header
  throw error(
    'API_INPUT_INVALID',
    'idempotency-key must have up to 200 letters, digits and . : @ _ -',
  )
}

/** Returns the existing request of a key if both are the same. Throws REQUEST_KEY_TAKEN. */
function requireSameRequest(before: KeptRequest, requested: DeploymentRequest): KeptRequest {
  const [earlier, current] = [before.request, requested].map(({ dryRun, options, program }) =>
    JSON.stringify([dryRun, options, program]),
  )
  if (earlier === current) return before
  throw error(
    'REQUEST_KEY_TAKEN',
    `the stack has a different request with the key '${requested.key}'`,
  )
}

function requestViewOf({ request, end }: KeptRequest) {
  const { key, stack, by, at, dryRun, options } = request
  const { command, message } = options
  return { key, stack, by, at, dryRun, command, message, ...(end === undefined ? {} : { end }) }
}
