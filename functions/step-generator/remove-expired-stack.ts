import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { readFirstPin } from '../../shared/engine/deployment/log/supported-rules.ts'
import { DeployError, hasCode } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { deploymentPartsOf } from '../../shared/records/ids.ts'
import type { NotifierPorts } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { removeIdleStack } from '../../shared/runtime/state/remove-idle-stack.ts'
import { requireEmptyStack } from '../../shared/runtime/state/require-empty-stack.ts'
import { parseScheduleRequestKey } from '../../shared/triggers/derive-request.ts'
import { parseDocumentValue } from '../../shared/triggers/parse-document-value.ts'
import { kindOfSchedule } from '../../shared/triggers/schedules/pulumi-schedule.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'

/** The dependencies of the removal. Without `notifier`, no stack is removed. */
interface ExpiryDeps {
  readonly platform: Platform
  readonly notifier?: Pick<NotifierPorts, 'documents'>
}

/** `waiting`: the stack can be removed `waitMs` from now. */
type ExpiryResult =
  | { readonly kind: 'kept' | 'removed' }
  | { readonly kind: 'waiting'; readonly waitMs: number }

const kept = { kind: 'kept' } as const

/**
 * Removes the stack of `last`, its last deployment, if `last` is the destroy of a schedule that
 * removes its stack. The removal waits `stackRemovalDelayMs`, because the documents of the stack
 * contain the receivers of its notifications. Keeps a stack with resources, a waiting request, or
 * an open deployment. Throws the errors of the stores, and DOCUMENT_INVALID for the schedule.
 */
export async function removeExpiredStack(
  { platform, notifier }: ExpiryDeps,
  last: HistoryRecord | undefined,
): Promise<ExpiryResult> {
  if (notifier === undefined || last?.endedAt === undefined) return kept
  if (last.command !== 'destroy' || last.result !== 'succeeded') return kept
  if (!(await isRemovalScheduled(platform, notifier, last))) return kept
  const waitMs = last.endedAt + triggerLimits.stackRemovalDelayMs - platform.clock.now()
  if (waitMs > 0) return { kind: 'waiting', waitMs }
  const { stack } = deploymentPartsOf(last.deployment)
  if ((await platform.requests.listWaiting(stack, 1)).length > 0) return kept
  try {
    await requireEmptyStack(platform, stack)
    await removeIdleStack({ ...platform, documents: notifier.documents }, stack)
  } catch (thrown) {
    if (!hasCode(thrown, 'STACK_NOT_EMPTY') && !hasCode(thrown, 'STACK_BUSY')) throw thrown
    const code = thrown instanceof DeployError ? thrown.code : ''
    platform.logger.write('warn', 'stack.not_removed', { stack, code })
    return kept
  }
  platform.logger.write('info', 'stack.removed', { stack, deployment: last.deployment })
  return { kind: 'removed' }
}

/**
 * Reports whether the schedule that requested a deployment removes its stack. The stored schedule
 * decides, because its owner may have changed it since the request.
 */
async function isRemovalScheduled(
  platform: Platform,
  { documents }: Pick<NotifierPorts, 'documents'>,
  { deployment }: HistoryRecord,
): Promise<boolean> {
  const { request = '' } = (await readFirstPin(platform, deployment)) ?? {}
  const run = parseScheduleRequestKey(request)
  if (run === undefined || run.isShared) return false
  const { stack: scope } = deploymentPartsOf(deployment)
  const stored = await documents.get({ kind: 'schedule', scope, name: run.name })
  if (stored === undefined) return false
  const schedule = parseDocumentValue(scheduleDocument, stored)
  return schedule.removesStack === true && !schedule.isPaused && kindOfSchedule(schedule) === 'ttl'
}
