import * as z from 'zod'
import { apiLimits } from '../config/api-limits.ts'
import { createError } from '../errors/error.ts'
import {
  commandOfEdit,
  isEditRequest,
  type RequestRecord,
  type StackRequest,
} from '../records/stack-request.ts'
import type { ApiPorts } from './define-route.ts'

/** A request in the queue of a stack, as the API shows it. */
export const requestView = z.object({
  key: z.string(),
  stack: z.string(),
  /** The requester, for display. */
  by: z.string(),
  /** The time of the request, in ms since 1970. */
  at: z.number(),
  dryRun: z.boolean(),
  /** The command of the deployment; `state` or `stack import` for an edit. */
  command: z.string(),
  message: z.string(),
  /** The result; absent while the request is waiting. */
  end: z.looseObject({ kind: z.string() }).optional(),
})

/**
 * Puts a request into the queue of its stack, unless a request with its key exists, and returns the
 * stored request. `requireValid` checks only a new request, because a repetition must have the same
 * result. Throws REQUEST_KEY_TAKEN, REQUEST_QUEUE_FULL, and the errors of `requireValid`.
 */
export async function putRequestOnce(
  ports: Pick<ApiPorts, 'requests'>,
  newRequest: StackRequest,
  requireValid: () => Promise<void>,
): Promise<RequestRecord> {
  const { stack, key } = newRequest
  const existingRequest = await ports.requests.find(stack, key)
  if (existingRequest === undefined) await requireValid()
  return requireSameRequest(existingRequest ?? (await enqueue(ports, newRequest)), newRequest)
}

async function enqueue(
  ports: Pick<ApiPorts, 'requests'>,
  newRequest: StackRequest,
): Promise<RequestRecord> {
  const { requests } = ports
  const { stack, key } = newRequest
  const waitingRequests = await requests.listWaiting(stack, apiLimits.waitingRequestsMax)
  if (waitingRequests.length >= apiLimits.waitingRequestsMax)
    throw createError(
      'REQUEST_QUEUE_FULL',
      `${waitingRequests.length} requests are waiting for the stack`,
    )
  if (await requests.putAuthorized(newRequest)) return { request: newRequest }
  // Another call with the same key was faster.
  return (await requests.find(stack, key)) ?? { request: newRequest }
}

/** Returns the key in the header idempotency-key, or a new key. Throws API_INPUT_INVALID. */
export function idempotencyKeyOf(request: Request, { random }: ApiPorts): string {
  const header = request.headers.get('idempotency-key')
  if (header === null) return random.uuid()
  if (/^[\w.:@-]{1,200}$/.test(header)) return header
  throw createError(
    'API_INPUT_INVALID',
    'idempotency-key must have up to 200 letters, digits and . : @ _ -',
  )
}

/** Returns the content of a request as text, without its key, time and sender. */
function contentOf(request: StackRequest): string {
  if (isEditRequest(request)) return JSON.stringify([request.edit])
  const { dryRun, options, program } = request
  return JSON.stringify([dryRun, options, program])
}

/**
 * Returns the existing request of a key. Throws REQUEST_KEY_TAKEN if the new request has other
 * options, another program, another value of `dryRun`, or another edit.
 */
function requireSameRequest(
  existingRequest: RequestRecord,
  newRequest: StackRequest,
): RequestRecord {
  if (contentOf(existingRequest.request) === contentOf(newRequest)) return existingRequest
  throw createError(
    'REQUEST_KEY_TAKEN',
    `the stack has a different request with the key '${newRequest.key}'`,
  )
}

/** Returns a stored request as the API shows it. */
export function requestViewOf({ request, end }: RequestRecord) {
  const { key, stack, by, at } = request
  const { dryRun, command, message } = isEditRequest(request)
    ? { dryRun: false, command: commandOfEdit(request.edit), message: '' }
    : { dryRun: request.dryRun, ...request.options }
  return { key, stack, by, at, dryRun, command, message, ...(end === undefined ? {} : { end }) }
}
