import { z } from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { type DeployError, error } from '../../../shared/errors/error.ts'
import { printable } from '../../../shared/triggers/printable.ts'
import { hiddenFeatures } from '../../../shared/records/log.ts'
import type { DeploymentRequest, KeptRequest } from '../../../shared/records/request.ts'
import { knownStack } from '../../compaction/export-state.ts'
import { archiveForm } from '../archives.ts'
import { bodyOf } from '../error-answer.ts'
import { mayAct } from '../roles.ts'
import { type ApiPorts, type Asked, route, stackOf } from '../route.ts'

/** Most operations that one deployment may have in flight by request. */
const parallelMax = 10_000
/** Where nothing is said: functions come and go, and deletes are done side by side. */
const parallelUsual = 1_000

/** URNs or patterns of them. */
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
  /** Run the program too, of which a destroy or refresh has no need by itself. */
  runProgram: z.boolean().optional(),
  legacyDiff: z.literal(true).optional(),
  legacyRefreshDiff: z.literal(true).optional(),
  withoutFeatures: z.array(z.enum(hiddenFeatures)).max(hiddenFeatures.length).optional(),
  ignoreProtect: z.literal(true).optional(),
  release: z.enum(['dataflow', 'antichain']).optional(),
  /** The resources that it is about; absent: all. */
  targeting: targetingBody.optional(),
  /** An archive that was sent; absent: the program of the stack. */
  archive: archiveForm.optional(),
})

/** How the end of a request says that its asker took it back. */
const withdrawn = 'DEPLOYMENT_CANCELLED'

/** A request as the API tells it. */
const requestView = z.object({
  key: z.string(),
  stack: z.string(),
  by: z.string(),
  at: z.number(),
  dryRun: z.boolean(),
  command: z.string(),
  message: z.string(),
  /** What it came to; absent while it waits. */
  end: z.looseObject({ kind: z.string() }).optional(),
})

const created = {
  method: 'POST',
  scope: 'stack',
  status: 202,
  body: requestBody,
  output: requestView,
} as const

/** Asking for deployments and previews, and what became of that. */
export const requestRoutes = [
  route({
    ...created,
    path: '/v1/stacks/{project}/{stack}/deployments',
    role: 'deploy',
    summary:
      'Ask for a deployment. The header idempotency-key names it: the same again is the same one.',
    run: (ports, asked) => putRequest(ports, asked, false),
  }),
  route({
    ...created,
    path: '/v1/stacks/{project}/{stack}/previews',
    role: 'preview',
    summary: 'Ask for a preview. Programs are sent with the role deploy only: they run code.',
    run: (ports, asked) => putRequest(ports, asked, true),
  }),
  route({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/requests',
    role: 'read',
    scope: 'stack',
    summary: 'What waits for a stack, oldest first',
    output: z.object({ items: z.array(requestView) }),
    run: async (ports, { params }) => {
      const { id } = await knownStack(ports, stackOf(params))
      const waiting = await ports.requests.waiting(id, apiLimits.waitingMax)
      return { json: { items: waiting.map(request => viewOf({ request })) } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/requests/{key}',
    role: 'read',
    scope: 'stack',
    summary: 'A request, and what it came to',
    output: requestView,
    run: async (ports, { params }) => ({ json: viewOf(await knownRequest(ports, params)) }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/stacks/{project}/{stack}/requests/{key}',
    role: 'preview',
    scope: 'stack',
    summary: 'Withdraw a request that waits; one that has begun, or ended otherwise, is a conflict',
    output: requestView,
    conflict: requestView,
    run: async (ports, asked) => {
      const found = await withdraw(ports, asked)
      const late = tooLate(found)
      if (late === undefined) return { json: viewOf(found) }
      return { json: { ...viewOf(found), ...bodyOf(late) }, status: 409 }
    },
  }),
]

/**
 * Ends a request that waits, as what its asker took back; the first end stands, whose it may be.
 * Throws REQUEST_UNKNOWN, API_FORBIDDEN.
 */
async function withdraw(
  ports: ApiPorts,
  { params, caller }: Asked<unknown, unknown>,
): Promise<KeptRequest> {
  const found = await knownRequest(ports, params)
  const { stack, key, dryRun } = found.request
  if (!dryRun && !mayAct(caller.role, 'deploy'))
    throw error('API_FORBIDDEN', 'who may only preview withdraws no deployment')
  if (found.end === undefined)
    await ports.requests.end(stack, key, {
      kind: 'refused',
      code: withdrawn,
      message: 'the request was withdrawn before it was begun',
    })
  // The first end stands: it may have begun a moment ago.
  return knownRequest(ports, params)
}

/** REQUEST_BEGUN for what was withdrawn too late; undefined for what is withdrawn. */
function tooLate({ request, end }: KeptRequest): DeployError | undefined {
  if (end === undefined || (end.kind === 'refused' && end.code === withdrawn)) return undefined
  const came = end.kind === 'started' ? `it became ${end.deployment}` : `it was ${end.kind}`
  const about = `the request '${printable(request.key)}' waits no more: ${came}`
  return error('REQUEST_BEGUN', about)
}

/** A request by its path. Throws REQUEST_UNKNOWN. */
export async function knownRequest(
  { requests }: Pick<ApiPorts, 'requests'>,
  params: Asked<unknown, unknown>['params'],
): Promise<KeptRequest> {
  const key = params['key'] ?? ''
  const found = await requests.find(stackOf(params), key)
  if (found === undefined)
    throw error('REQUEST_UNKNOWN', `the stack has no request '${printable(key)}'`)
  return found
}

/**
 * Puts a request and says so. An `up` of an archive makes that the program of the stack, so that
 * nothing older is deployed by a schedule. Throws REQUEST_KEY_TAKEN, REQUEST_QUEUE_FULL.
 */
async function putRequest(
  ports: ApiPorts,
  { params, body, caller, request }: Asked<unknown, z.infer<typeof requestBody>>,
  dryRun: boolean,
): Promise<{ readonly json: unknown }> {
  const { id: stack } = await knownStack(ports, stackOf(params))
  const { archive, release, ignoreProtect, targeting, runProgram, ...others } = body
  const { legacyDiff, legacyRefreshDiff, withoutFeatures, ...rest } = others
  const asked: DeploymentRequest = {
    stack,
    key: keyOf(request, ports),
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
  const kept = (await ports.requests.find(stack, asked.key)) ?? (await put(ports, asked))
  const found = sameOr(kept, asked)
  // Whoever asked first may have died before this, so that a repetition does it too.
  if (found.end === undefined) {
    if (archive !== undefined && !dryRun && body.command === 'up')
      await ports.requests.putProgram(stack, archive)
    await ports.nudges.nudge(stack, 0)
  }
  return { json: viewOf(found) }
}

async function put(ports: ApiPorts, asked: DeploymentRequest): Promise<KeptRequest> {
  const { requests } = ports
  const { stack, key } = asked
  const waiting = await requests.waiting(stack, apiLimits.waitingMax)
  if (waiting.length >= apiLimits.waitingMax)
    throw error('REQUEST_QUEUE_FULL', `${waiting.length} requests wait for the stack`)
  if (await requests.put(asked)) return { request: asked }
  // Another call with the same key was faster.
  return (await requests.find(stack, key)) ?? { request: asked }
}

/** The key that the caller gave, or a new one. Throws API_INPUT_INVALID. */
function keyOf(request: Request, { random }: ApiPorts): string {
  const given = request.headers.get('idempotency-key')
  if (given === null) return random.uuid()
  if (/^[\w.:@-]{1,200}$/.test(given)) return given
  throw error('API_INPUT_INVALID', 'idempotency-key has up to 200 letters, digits and . : @ _ -')
}

/** What was asked before under a key, when it is the same. Throws REQUEST_KEY_TAKEN. */
function sameOr(before: KeptRequest, asked: DeploymentRequest): KeptRequest {
  const [was, is] = [before.request, asked].map(({ dryRun, options, program }) =>
    JSON.stringify([dryRun, options, program]),
  )
  if (was === is) return before
  throw error('REQUEST_KEY_TAKEN', `the stack has another request '${asked.key}'`)
}

function viewOf({ request, end }: KeptRequest) {
  const { key, stack, by, at, dryRun, options } = request
  const { command, message } = options
  return { key, stack, by, at, dryRun, command, message, ...(end === undefined ? {} : { end }) }
}
