import { createError } from '../../errors/error.ts'
import type { TriggerPorts } from '../../ports/documents.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { DeploymentRequest, StackRequest, WebhookOrigin } from '../../records/stack-request.ts'
import {
  deriveScheduleRequest,
  deriveWebhookRequest,
  parseScheduleRequestKey,
} from '../../triggers/derive-request.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'
import { toPrintable } from '../../triggers/printable.ts'
import { scheduleDocument } from '../../triggers/schedules/due-schedule.ts'
import { isCoveredBySharedSchedule } from '../../triggers/schedules/shared-schedule.ts'
import { webhookDocument, webhookKeyOf } from '../../triggers/webhooks/webhook-document.ts'

/** Dependencies of the authorization of requests. */
export interface AuthorizationDeps {
  readonly requests: Pick<RequestsPort, 'isApproved'>
  readonly documents: Pick<TriggerPorts['documents'], 'get'>
}

/**
 * The authorization of stored requests. Webhooks and schedules may write requests, and an attacker
 * could take over their functions. So a request of a trigger is derived again from the document of
 * the trigger. Any other request needs an approval, which triggers cannot write.
 */
export interface RequestAuthorization {
  /** Throws REQUEST_UNAPPROVED for a request that was not approved. */
  readonly requireApproved: (request: StackRequest) => Promise<void>
  /**
   * Returns the request to serve. Throws REQUEST_UNAPPROVED, DOCUMENT_INVALID and the errors of the
   * store.
   */
  readonly authorize: (request: DeploymentRequest) => Promise<DeploymentRequest>
}

/** Creates the authorization of a generator. */
export function createRequestAuthorization(deps: AuthorizationDeps): RequestAuthorization {
  const requireApproved: RequestAuthorization['requireApproved'] = async request => {
    if (!(await deps.requests.isApproved(request)))
      throw createUnapprovedError(
        request,
        'the API of this installation has not approved the request in this form',
      )
  }
  return {
    requireApproved,
    authorize: async request => {
      const { origin, key, options } = request
      // The rules of triggers define no approval, so a request with an approval must come from the
      // API.
      if (options.approval !== undefined) {
        await requireApproved(request)
        return request
      }
      if (origin?.kind === 'webhook') return authorizeByWebhook(deps, request, origin)
      if (origin !== undefined)
        return authorizeBySchedule(deps, request, origin.kind === 'remedy' ? origin.of : key)
      await requireApproved(request)
      return request
    },
  }
}

/**
 * Derives a request from its webhook. Throws REQUEST_UNAPPROVED if the webhook is missing or
 * paused, or if no rule allows the request.
 */
async function authorizeByWebhook(
  { documents }: AuthorizationDeps,
  request: DeploymentRequest,
  origin: WebhookOrigin,
): Promise<DeploymentRequest> {
  const name = toPrintable(origin.webhook)
  const document = await documents.get(webhookKeyOf(origin.webhook))
  if (document === undefined) throw createUnapprovedError(request, `there is no webhook '${name}'`)
  const { isPaused, rules } = parseDocumentValue(webhookDocument, document)
  if (isPaused) throw createUnapprovedError(request, `the webhook '${name}' is paused`)
  const derivedRequest = deriveWebhookRequest(rules, request, origin)
  if (derivedRequest === undefined)
    throw createUnapprovedError(request, `the webhook '${name}' has no rule that allows it`)
  return derivedRequest
}

/**
 * Derives a request from its schedule. `runKey`: the key of the request of the scheduled run. It
 * differs from the key of `request` if this is a remedy request.
 */
async function authorizeBySchedule(
  { documents }: AuthorizationDeps,
  request: DeploymentRequest,
  runKey: string,
): Promise<DeploymentRequest> {
  const scheduledRun = parseScheduleRequestKey(runKey)
  if (scheduledRun === undefined) throw createUnapprovedError(request, 'it names no schedule')
  const name = toPrintable(scheduledRun.name)
  const document = await documents.get({
    kind: 'schedule',
    scope: scheduledRun.isShared ? '*' : request.stack,
    name: scheduledRun.name,
  })
  if (document === undefined) throw createUnapprovedError(request, `there is no schedule '${name}'`)
  const schedule = parseDocumentValue(scheduleDocument, document)
  if (schedule.isPaused) throw createUnapprovedError(request, `the schedule '${name}' is paused`)
  if (
    scheduledRun.isShared &&
    !(await isCoveredBySharedSchedule({ documents }, schedule, request.stack))
  )
    throw createUnapprovedError(request, `the schedule '${name}' does not cover the stack`)
  const derivedRequest = deriveScheduleRequest({ ...scheduledRun, schedule }, request)
  if (derivedRequest === undefined)
    throw createUnapprovedError(request, `the schedule '${name}' has another operation`)
  return derivedRequest
}

function createUnapprovedError({ key, stack }: StackRequest, reason: string): Error {
  const message = `the request '${toPrintable(key)}' of the stack '${stack}' is not served: ${reason}`
  return createError('REQUEST_UNAPPROVED', message)
}
