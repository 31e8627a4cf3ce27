import * as z from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { type DeployError, createError } from '../../../shared/errors/error.ts'
import { toPrintable } from '../../../shared/triggers/printable.ts'
import { archiveNameOf } from '../../../shared/records/archive-name.ts'
import { hiddenFeatures } from '../../../shared/records/log.ts'
import {
  type DeploymentRequest,
  isEditRequest,
  type RequestRecord,
} from '../../../shared/records/stack-request.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { archiveForm } from '../archive-forms.ts'
import { importsForm } from '../import-form.ts'
import { idempotencyKeyOf, requestView, requestViewOf } from '../../../shared/api/put-request.ts'
import {
  requestDeployment,
  requestParallelDefault,
  withdrawnCode,
  withdrawWaitingRequest,
} from '../../../shared/api/request-deployment.ts'
import { requireArchive } from '../require-archive.ts'
import { errorBodyOf } from '../../../shared/api/error-response.ts'
import { includesRole } from '../../../shared/api/authorization.ts'
import {
  type ApiPorts,
  type RouteCall,
  defineRoute,
  stackOf,
} from '../../../shared/api/define-route.ts'

/** Maximum number of concurrent operations that a request may set. */
const parallelMax = 10_000

/** URNs, or URN patterns. */
const urnsForm = z
  .array(z.string().min(1).max(apiLimits.urnCharsMax))
  .max(apiLimits.urnsMax)
  .default([])

/** The selected resources; see `Targeting`. */
const targetingForm = z.strictObject({
  targets: urnsForm,
  excludes: urnsForm,
  replaces: urnsForm,
  targetDependents: z.boolean().default(false),
  excludeDependents: z.boolean().default(false),
  excludeProtected: z.boolean().default(false),
})

/** The body of a request. `DeploymentOptions` describes the fields without a comment. */
const requestBodyForm = z.strictObject({
  command: z.enum(['up', 'refresh', 'destroy', 'import']),
  parallel: z.int().min(1).max(parallelMax).default(requestParallelDefault),
  refresh: z.boolean().default(false),
  continueOnError: z.boolean().default(false),
  message: z.string().max(2000).default(''),
  /** Whether a destroy or refresh runs the program. Absent: it does not. */
  runProgram: z.boolean().optional(),
  legacyDiff: z.literal(true).optional(),
  legacyRefreshDiff: z.literal(true).optional(),
  withoutFeatures: z.array(z.enum(hiddenFeatures)).max(hiddenFeatures.length).optional(),
  ignoreProtect: z.literal(true).optional(),
  release: z.enum(['dataflow', 'antichain']).optional(),
  /** The selected resources. Absent: all. */
  targeting: targetingForm.optional(),
  /** The resources of an import; only for the command `import`, which needs them. */
  imports: importsForm.optional(),
  /** An archive that was uploaded for the stack. Absent: the program of the stack. */
  archive: archiveForm.optional(),
})

/** The common parts of the two routes that create requests. */
const creationRoute = {
  method: 'POST',
  scope: 'stack',
  status: 202,
  body: requestBodyForm,
  output: requestView,
} as const

/**
 * Routes that request deployments and previews, return requests with their results, and withdraw
 * waiting requests.
 */
export const requestRoutes = [
  defineRoute({
    ...creationRoute,
    path: '/v1/stacks/{project}/{stack}/deployments',
    role: 'deploy',
    summary:
      'Request a deployment. The header idempotency-key identifies it: a repeated request has no further effect.',
    run: (ports, call) => putRequest(ports, call, false),
  }),
  defineRoute({
    ...creationRoute,
    path: '/v1/stacks/{project}/{stack}/previews',
    role: 'preview',
    // A preview runs the code of `archive`, which can be any archive of the stack. It reads
    // `imports` with the credentials of the stack.
    fieldRoles: { archive: 'deploy', imports: 'deploy' },
    summary:
      'Request a preview of the program of the stack. Another archive requires the role deploy, because a preview runs its code.',
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
      const waitingRequests = await ports.requests.listWaiting(id, apiLimits.waitingRequestsMax)
      return { json: { items: waitingRequests.map(request => requestViewOf({ request })) } }
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
      const storedRequest = await withdrawRequest(ports, call)
      const lateError = createTooLateError(storedRequest)
      if (lateError === undefined) return { json: requestViewOf(storedRequest) }
      return { json: { ...requestViewOf(storedRequest), ...errorBodyOf(lateError) }, status: 409 }
    },
  }),
]

/**
 * Ends a waiting request as withdrawn, and returns the stored request. Throws REQUEST_UNKNOWN,
 * API_FORBIDDEN.
 */
async function withdrawRequest(
  ports: ApiPorts,
  { params, caller }: RouteCall<unknown, unknown>,
): Promise<RequestRecord> {
  const storedRequest = await requireRequest(ports, params)
  const { request } = storedRequest
  const { stack, key } = request
  const isPreview = !isEditRequest(request) && request.dryRun
  if (!isPreview && !includesRole(caller.role, 'deploy'))
    throw createError(
      'API_FORBIDDEN',
      'withdrawing a deployment or an edit requires the role deploy',
    )
  if (storedRequest.end === undefined) await withdrawWaitingRequest(ports, stack, key)
  // The request keeps an end that it had earlier: its deployment may have begun a moment ago.
  return requireRequest(ports, params)
}

/**
 * Returns REQUEST_BEGUN for a request that had another end before it could be withdrawn. Returns
 * undefined for a withdrawn or waiting request.
 */
function createTooLateError({ request, end }: RequestRecord): DeployError | undefined {
  if (end === undefined || (end.kind === 'refused' && end.code === withdrawnCode)) return undefined
  const endText = end.kind === 'started' ? `it started ${end.deployment}` : `it was ${end.kind}`
  const message = `the request '${toPrintable(request.key)}' is no longer waiting: ${endText}`
  return createError('REQUEST_BEGUN', message)
}

/** Returns the request of a path. Throws REQUEST_UNKNOWN. */
export async function requireRequest(
  { requests }: Pick<ApiPorts, 'requests'>,
  params: RouteCall<unknown, unknown>['params'],
): Promise<RequestRecord> {
  const key = params['key'] ?? ''
  const storedRequest = await requests.find(stackOf(params), key)
  if (storedRequest === undefined)
    throw createError('REQUEST_UNKNOWN', `the stack has no request '${toPrintable(key)}'`)
  return storedRequest
}

/**
 * Puts the request of a body. Throws STACK_NOT_FOUND, API_INPUT_INVALID, and the errors of
 * `requireArchive` and `requestDeployment`.
 */
async function putRequest(
  ports: ApiPorts,
  { params, body, caller, request }: RouteCall<unknown, z.infer<typeof requestBodyForm>>,
  dryRun: boolean,
): Promise<{ readonly json: unknown }> {
  const { id: stack } = await requireStack(ports, stackOf(params))
  requireMatchingImports(body)
  const {
    archive: contentHash,
    release,
    ignoreProtect,
    targeting,
    runProgram,
    imports,
    ...otherOptions
  } = body
  const { legacyDiff, legacyRefreshDiff, withoutFeatures, ...requiredOptions } = otherOptions
  const archiveName = contentHash === undefined ? undefined : archiveNameOf(stack, contentHash)
  const newRequest: DeploymentRequest = {
    stack,
    key: idempotencyKeyOf(request, ports),
    at: ports.clock.now(),
    by: `${caller.name} (API)`,
    token: caller.id,
    dryRun,
    options: {
      ...requiredOptions,
      execute: ports.execute,
      ...(runProgram === true ? { runProgram } : {}),
      ...(legacyDiff === undefined ? {} : { legacyDiff }),
      ...(legacyRefreshDiff === undefined ? {} : { legacyRefreshDiff }),
      ...(withoutFeatures === undefined ? {} : { withoutFeatures }),
      ...(release === undefined ? {} : { release }),
      ...(targeting === undefined ? {} : { targeting }),
      ...(ignoreProtect === undefined ? {} : { ignoreProtect }),
      ...(imports === undefined ? {} : { imports }),
    },
    program:
      archiveName === undefined ? { kind: 'last' } : { kind: 'archive', archive: archiveName },
  }
  const storedRequest = await requestDeployment(ports, newRequest, async () => {
    if (contentHash !== undefined) await requireArchive(ports, stack, contentHash)
  })
  return { json: requestViewOf(storedRequest) }
}

/** Throws API_INPUT_INVALID for an import without resources, or another command with resources. */
function requireMatchingImports({
  command,
  imports,
}: Pick<z.infer<typeof requestBodyForm>, 'command' | 'imports'>): void {
  if ((command === 'import') === (imports !== undefined)) return
  const message = 'body.imports: required for the command import, and for no other'
  throw createError('API_INPUT_INVALID', message, { details: { at: 'body.imports' } })
}
