import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { readFirstPin } from '../../shared/engine/deployment/log/supported-rules.ts'
import { hasCode, messageOf } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { StoredDocument } from '../../shared/ports/documents.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'
import { type EpochMs, deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import {
  approvalStateOf,
  listApprovals,
  originalKeyOf,
} from '../../shared/runtime/approvals/stored-approval.ts'
import type { NotifierPorts } from '../../shared/runtime/deployment/stack-server-deps.ts'
import {
  removeIdleStack,
  removeStackDocuments,
} from '../../shared/runtime/state/remove-idle-stack.ts'
import { requireEmptyStack } from '../../shared/runtime/state/require-empty-stack.ts'
import { parseScheduleRequestKey } from '../../shared/triggers/derive-request.ts'
import { parseDocumentValue } from '../../shared/triggers/parse-document-value.ts'
import { readDocumentsOf } from '../../shared/triggers/read-documents.ts'
import { type Schedule, scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { parseScheduleTime } from '../../shared/triggers/schedules/evaluate-cron.ts'

/** The dependencies of the removal. */
interface ExpiryDeps {
  readonly platform: Platform
  readonly notifier: Pick<NotifierPorts, 'documents'>
}

/** `waiting`: the stack may have to be removed `waitMs` from now. */
export type ExpiryResult =
  | { readonly kind: 'kept' | 'removed' }
  | { readonly kind: 'waiting'; readonly waitMs: number }

/**
 * Removes the stack of `lastDeployment` if that deployment is the destroy of a schedule that
 * removes its stack. The first call plans the removal `stackRemovalDelayMs` later. Until then,
 * notifications of the destroy can be delivered: their receivers are documents, which the removal
 * deletes. The removal waits for requests and approvals. Keeps a stack with resources or an open
 * deployment. Throws the errors of the stores only: any other error is logged, and the stack stays.
 */
export async function removeExpiredStack(
  deps: ExpiryDeps,
  lastDeployment: HistoryRecord | undefined,
): Promise<ExpiryResult> {
  if (lastDeployment?.command !== 'destroy' || lastDeployment.result !== 'succeeded')
    return { kind: 'kept' }
  const { stack, number } = deploymentPartsOf(lastDeployment.deployment)
  try {
    const stored = await findRemovingSchedule(deps, lastDeployment)
    return stored === undefined
      ? { kind: 'kept' }
      : await removeWhenDue(deps, { stack, number, stored })
  } catch (thrown) {
    if (errorSourceOf(thrown) === 'store') throw thrown
    if (hasCode(thrown, 'STACK_NOT_FOUND')) return { kind: 'removed' }
    deps.platform.logger.write('warn', 'stack.not_removed', { stack, message: messageOf(thrown) })
    return { kind: 'kept' }
  }
}

/** A schedule with its document. */
interface StoredSchedule {
  readonly document: StoredDocument
  readonly schedule: Schedule
}

/**
 * Finds the schedule that requested a deployment, if it removes its stack. The stored schedule
 * decides, because a user may have changed it since the request. A deployment that was requested
 * for another time is not a run of the stored schedule. A shared schedule only detects drift, and
 * removes nothing.
 */
async function findRemovingSchedule(
  { platform, notifier: { documents } }: ExpiryDeps,
  { deployment }: HistoryRecord,
): Promise<StoredSchedule | undefined> {
  const { request = '' } = (await readFirstPin(platform, deployment)) ?? {}
  const run = parseScheduleRequestKey(originalKeyOf(request))
  if (run === undefined || run.isShared) return undefined
  const { stack: scope } = deploymentPartsOf(deployment)
  const document = await documents.get({ kind: 'schedule', scope, name: run.name })
  if (document === undefined) return undefined
  const schedule = parseDocumentValue(scheduleDocument, document)
  if (schedule.removesStack !== true || schedule.isPaused) return undefined
  const time = parseScheduleTime(schedule.when, schedule.zone)
  if (time.kind !== 'at' || schedule.operation.kind !== 'destroy') return undefined
  const isOfThisTime = run.due >= time.timeMs && run.due <= time.timeMs + schedule.jitterMs
  return isOfThisTime ? { document, schedule } : undefined
}

/** Removes a stack at its planned time, or plans the removal. */
async function removeWhenDue(
  { platform, notifier: { documents } }: ExpiryDeps,
  {
    stack,
    number,
    stored: { document, schedule },
  }: { readonly stack: StackId; readonly number: number; readonly stored: StoredSchedule },
): Promise<ExpiryResult> {
  const now = platform.clock.now()
  const { stackRemovalDelayMs: delayMs } = triggerLimits
  const { removalAt } = schedule
  if (removalAt === undefined) {
    const plannedSchedule: Schedule = { ...schedule, removalAt: (now + delayMs) as EpochMs }
    // A write that a concurrent change prevents is repeated by the next check.
    await documents.put(document.key, plannedSchedule, document.version)
    return { kind: 'waiting', waitMs: delayMs }
  }
  if (removalAt > now) return { kind: 'waiting', waitMs: removalAt - now }
  const approvals = await listApprovals(documents, stack)
  const waitsForApproval = approvals.some(approval => approvalStateOf(approval, now) === 'waiting')
  if (waitsForApproval || (await platform.requests.listWaiting(stack, 1)).length > 0)
    return { kind: 'waiting', waitMs: delayMs }
  const stackRecord = await platform.catalog.getStack(stack)
  if (stackRecord === undefined) return { kind: 'removed' }
  const { deployments, createdAt } = stackRecord
  if (deployments !== number) return { kind: 'kept' }
  await requireEmptyStack(platform, stack)
  await removeIdleStack({ ...platform, documents }, stack, { deployments, createdAt })
  platform.logger.write('info', 'stack.removed', { stack, schedule: document.key.name })
  return { kind: 'removed' }
}

/**
 * Removes the documents of a missing stack if one of its schedules has planned the removal. A
 * process that died after the removal of the stack has left them.
 */
export async function removeExpiredDocuments(
  { platform, notifier: { documents } }: ExpiryDeps,
  stack: StackId,
): Promise<void> {
  for await (const { value } of readDocumentsOf(documents, 'schedule', stack))
    if (scheduleDocument.safeParse(value).data?.removalAt !== undefined)
      return removeStackDocuments({ ...platform, documents }, stack)
}
