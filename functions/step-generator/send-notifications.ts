import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { readFirstPin } from '../../shared/engine/deployment/log/supported-rules.ts'
import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { isErrorCode, messageOf } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { TriggerPorts } from '../../shared/ports/documents.ts'
import type { OutgoingMessage } from '../../shared/ports/notifications.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { countChanges } from '../../shared/records/change-counts.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { NotificationEvent } from '../../shared/records/notification.ts'
import {
  type DeploymentRequest,
  isEditRequest,
  type RequestEnd,
} from '../../shared/records/stack-request.ts'
import { isNotificationFor } from '../../shared/triggers/notifications/notification-document.ts'
import { readNotificationsOf } from '../../shared/triggers/notifications/read-notifications.ts'
import { runOnce } from '../../shared/triggers/run-once.ts'
import { createReply } from '../../shared/triggers/notifications/create-reply.ts'
import { createRemedyRequest } from '../../shared/triggers/trigger-requests.ts'
import { describeChanges } from './run-result.ts'
import type { NotifierPorts } from '../../shared/runtime/deployment/stack-server-deps.ts'

/**
 * The dependencies of notifications. Without `notifier`, no notification and no reply to a webhook
 * is sent, and no remedy is requested.
 */
export interface NotifyDeps {
  readonly platform: Platform
  readonly notifier?: NotifierPorts
}

/**
 * Sends the notifications and the webhook reply about the start of a deployment. Only logs an
 * error, because the deployment can continue without them.
 */
export async function notifyStarted(
  deps: NotifyDeps,
  deployment: DeploymentId,
  request: DeploymentRequest,
): Promise<void> {
  const { stack, options } = request
  const now = deps.platform.clock.now()
  const { number } = deploymentPartsOf(deployment)
  const event = { kind: 'started', stack, deployment, command: options.command, at: now } as const
  const reply = createReply(request, 'pending', {
    description: `deployment ${number} is running`,
    page: { kind: 'deployment', number },
  })
  try {
    await sendNotifications(deps, event, reply)
  } catch (thrown) {
    deps.platform.logger.write('warn', 'notify.failed', { deployment, message: messageOf(thrown) })
  }
}

/**
 * Sends the notifications and the webhook reply about the last deployment of a stack once, if that
 * deployment ended recently. Returns false while another process has marked them as underway: that
 * process sends them now, or has died. After the mark expires, the next check of the stack sends
 * them. Throws the errors of the stores; the notifications are then still due.
 */
export async function notifyEnded(
  deps: NotifyDeps,
  record: HistoryRecord | undefined,
): Promise<boolean> {
  const { platform, notifier } = deps
  if (notifier === undefined) return true
  if (record === undefined || !isNotifiable(record, platform.clock.now())) return true
  const { deployment, changes = {}, result } = record
  const kind = result === 'succeeded' ? 'succeeded' : 'failed'
  const { stack, number } = deploymentPartsOf(deployment)
  const commonFields = {
    stack,
    deployment,
    command: record.command,
    at: record.endedAt ?? record.startedAt,
  }
  const event: NotificationEvent =
    kind === 'succeeded'
      ? { kind, ...commonFields, changes }
      : { kind, ...commonFields, changes, codes: [errorCodeOf(record)] }
  const task = { taskIds: [`told ${deployment}`], retentionMs: triggerLimits.deliveryRetentionMs }
  const onceResult = await runOnce(
    { marks: notifier.marks, clock: platform.clock },
    task,
    async () => {
      const pin = await readFirstPin(platform, deployment)
      const request = pin?.request
      const storedRequest =
        request === undefined ? undefined : (await platform.requests.find(stack, request))?.request
      const mayReply = storedRequest !== undefined && !isEditRequest(storedRequest)
      const description = `deployment ${number} ${result}: ${describeChanges(changes)}`
      const page = { kind: 'deployment', number } as const
      const state = kind === 'succeeded' ? 'success' : 'failure'
      await sendNotifications(
        deps,
        request === undefined ? event : { ...event, isRequested: true },
        mayReply ? createReply(storedRequest, state, { description, page }) : undefined,
      )
    },
  )
  return onceResult.kind !== 'underway'
}

/** Reports whether a deployment has ended recently, and is no edit or rename. */
function isNotifiable({ result, endedAt, command }: HistoryRecord, now: number): boolean {
  if (result === undefined || endedAt === undefined) return false
  if (['stack import', 'stack rename', 'state'].includes(command)) return false
  return now - endedAt < triggerLimits.notifiableAgeMaxMs
}

function errorCodeOf({ result }: HistoryRecord): ErrorCode {
  return result === 'cancelled' ? 'DEPLOYMENT_CANCELLED' : 'DEPLOYMENT_FAILED'
}

/**
 * Sends the notifications and the webhook reply about a request that started no deployment, and
 * ends the request. In between, queues a remedy request if the preview of a scheduled refresh found
 * drift and its schedule requires a remedy. All of this can be repeated after a crash: a repeated
 * notification has the same delivery id.
 */
export async function notifyAndEndRequest(
  deps: NotifyDeps,
  request: DeploymentRequest,
  end: RequestEnd,
): Promise<void> {
  const { requests, nudges } = deps.platform
  const { stack, key } = request
  if (deps.notifier !== undefined) {
    await sendNotifications(deps, notificationEventOf(deps, request, end), replyOf(request, end))
    if (isDrift(request, end) && request.origin?.kind === 'schedule' && request.origin.remediate) {
      await requests.put(createRemedyRequest(request, deps.platform.clock.now()))
      await nudges.nudge(stack, 0)
    }
  }
  await requests.end(stack, key, end)
}

/** Reports whether the preview of a scheduled refresh found changes of the recorded state. */
function isDrift({ origin, options }: DeploymentRequest, end: RequestEnd): boolean {
  if (end.kind !== 'previewed' || end.result !== 'succeeded') return false
  if (origin?.kind !== 'schedule' || options.command !== 'refresh') return false
  return countChanges(end.changes) > 0
}

function notificationEventOf(
  { platform }: NotifyDeps,
  request: DeploymentRequest,
  end: RequestEnd,
): NotificationEvent | undefined {
  const { stack, key, options, origin } = request
  const now = platform.clock.now()
  const commonFields = { stack, request: key, command: options.command, at: now }
  if (end.kind === 'refused') {
    // A skipped run is no failure.
    if (end.code === 'DRIFT_READ_RECENTLY') return undefined
    const codes = isErrorCode(end.code) ? [end.code] : []
    return { kind: 'failed', ...commonFields, changes: {}, codes }
  }
  if (end.kind !== 'previewed') return undefined
  if (end.approval !== undefined) {
    const { changes, approval } = end
    return { kind: 'approval', ...commonFields, changes, expiresAt: approval.expiresAt }
  }
  if (isDrift(request, end))
    return {
      kind: 'drift',
      ...commonFields,
      count: countChanges(end.changes),
      changes: end.changes,
      urns: end.urns ?? [],
    }
  if (end.result === 'succeeded' || origin?.kind !== 'schedule') return undefined
  return { kind: 'failed', ...commonFields, changes: end.changes, codes: ['DEPLOYMENT_FAILED'] }
}

function replyOf(request: DeploymentRequest, end: RequestEnd) {
  if (end.kind === 'refused')
    return createReply(request, 'error', { description: `not started: ${end.code}` })
  if (end.kind === 'superseded') {
    const description = 'skipped: a later commit is deployed instead'
    return createReply(request, 'error', { description })
  }
  if (end.kind !== 'previewed') return undefined
  const page = { kind: 'plan' } as const
  const text = describeChanges(end.changes)
  if (end.approval !== undefined)
    return createReply(request, 'pending', { description: `waits for an approval: ${text}`, page })
  const state = end.result === 'succeeded' ? 'success' : 'failure'
  const lines = [text, ...(end.urns ?? []), ...end.errors]
  return createReply(request, state, {
    description: `preview ${end.result}: ${text}`,
    page,
    lines,
  })
}

/** Sends an event to its receivers, and a reply to a webhook. Throws the errors of the stores. */
export async function sendNotifications(
  deps: NotifyDeps,
  event: NotificationEvent | undefined,
  reply: OutgoingMessage | undefined,
): Promise<void> {
  if (deps.notifier === undefined) return
  const notifications = event === undefined ? [] : await collectMessages(deps, deps.notifier, event)
  const messages = reply === undefined ? notifications : [...notifications, reply]
  if (messages.length > 0) await deps.notifier.notifications.send(messages)
}

/**
 * Returns one message for each notification document that requests the event. Only logs an invalid
 * document.
 */
async function collectMessages(
  { platform }: NotifyDeps,
  { documents }: Pick<TriggerPorts, 'documents'>,
  event: NotificationEvent,
): Promise<readonly OutgoingMessage[]> {
  const messages: OutgoingMessage[] = []
  for (const scope of [event.stack, '*'] as const)
    for await (const { stored, value } of readNotificationsOf(documents, platform.logger, scope)) {
      const { key } = stored
      if (isNotificationFor(key, value, event)) messages.push({ kind: 'notification', key, event })
    }
  return messages
}
