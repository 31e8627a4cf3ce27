import type { ErrorCode } from '../errors/catalogue.ts'
import { DeployError } from '../errors/error.ts'
import { apiStatusOf } from '../api/error-response.ts'

/** Statuses that clients of Pulumi expect for errors that have another status in our own API. */
const clientStatuses: Partial<Record<ErrorCode, number>> = {
  STACK_NOT_EMPTY: 400,
  PROJECT_NOT_FOUND: 400,
  STATE_INVALID: 400,
  STATE_TOO_NEW: 400,
  SECRETS_MALFORMED: 400,
  SEALED_UNREADABLE: 400,
  // Clients stop the renewal of a lease only on this status.
  DEPLOYMENT_TAKEN_OVER: 403,
}

/** Returns the HTTP status of an error for clients of Pulumi. */
export function serviceStatusOf(thrown: unknown): number {
  const status = thrown instanceof DeployError ? clientStatuses[thrown.code] : undefined
  return status ?? apiStatusOf(thrown)
}

/**
 * Returns an error as clients of Pulumi read it. They take the status from `code` in the body. The
 * message of an internal error and of an error of the store stays in the log.
 */
export function toServiceErrorResponse(thrown: unknown, requestId: string): Response {
  const status = serviceStatusOf(thrown)
  const body = JSON.stringify({
    code: status,
    message: describeForClient(thrown, status, requestId),
  })
  const retryAfter = thrown instanceof DeployError ? thrown.details['retryAfterSeconds'] : undefined
  const headers = new Headers({
    'content-type': 'application/json',
    'x-pulumi-request-id': requestId,
  })
  if (typeof retryAfter === 'number') headers.set('retry-after', String(Math.ceil(retryAfter)))
  return new Response(body, { status, headers })
}

function describeForClient(thrown: unknown, status: number, requestId: string): string {
  if (!(thrown instanceof DeployError) || thrown.code === 'INTERNAL_ASSERTION')
    return `internal error of the service; its log entry is ${requestId}`
  if (status === 503) return `the store of the service failed; its log entry is ${requestId}`
  // Clients compare this message literally.
  if (thrown.code === 'STACK_NOT_EMPTY') return 'Bad Request: Stack still contains resources.'
  if (thrown.code === 'STACK_BUSY') return describeBusyStack(thrown)
  // The hint names routes of our own API.
  if (thrown.code === 'API_ROUTE_UNKNOWN') return thrown.message
  return thrown.hint === ''
    ? thrown.message
    : `${thrown.message}. ${nameClientCommands(thrown.hint)}`
}

/** Commands that hints name without options, and that both command lines have. */
const sharedCommands =
  /`antichain (cancel|destroy|stack (?:change-secrets-provider|export|init|ls|output|select)|state (?:rename|repair))(?=[` ])(?! --)/g

/** Replaces commands of a hint by those of the client's command line, if it has the same ones. */
function nameClientCommands(hint: string): string {
  return hint.replaceAll(sharedCommands, '`pulumi $1')
}

/**
 * Returns the message for a busy stack. The SDKs of Pulumi recognize the start of the message, and
 * then report a concurrent update. The hint of the error names options of our own commands. Source:
 * `IsConcurrentUpdateError` in sdk/go/auto/errors.go of Pulumi 3.274.1.
 */
function describeBusyStack({ message }: DeployError): string {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return (
    `Conflict: Another update is currently in progress. ${sentence}. ` +
    'Wait until it has ended, or end it with `pulumi cancel`.'
  )
}
