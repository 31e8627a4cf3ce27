import { queryLimits } from '../../config/query-limits.ts'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DocumentKey, type TriggerPorts, sealingContextOf } from '../../ports/documents.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs } from '../../records/ids.ts'
import { runOnce } from '../run-once.ts'
import {
  type Schedule,
  type ScheduleVerdict,
  evaluateSchedule,
  scheduleDocument,
} from './due-schedule.ts'
import { parseDocumentValue } from '../parse-document-value.ts'

/** Dependencies of running a schedule. */
export interface ScheduleRunDeps extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly clock: Pick<ClockPort, 'now'>
  /** Reports whether the stack of this scope runs a deployment. */
  readonly isRunning: (scope: DocumentKey['scope']) => Promise<boolean>
  /** Requests the operation. `due`: the time when the run was due, which identifies the run. */
  readonly send: (key: DocumentKey, schedule: Schedule, due: EpochMs) => Promise<void>
  /** Whether another service applies the jitter, such as EventBridge Scheduler by its window. */
  readonly hasExternalJitter: boolean
}

/**
 * The result of a check. `gone`: no schedule of this name exists. `repeated`, `underway`: the kinds
 * of `OnceResult`.
 */
export type ScheduleRunResult =
  | ScheduleVerdict
  | { readonly kind: 'gone' | 'repeated' | 'underway' }

/**
 * Checks a schedule and sends a due run. Of concurrent checks, only one sends the run. A run counts
 * as done when it was sent. If the process crashes earlier, a later check sends the run. Throws
 * DOCUMENT_INVALID, SCHEDULE_INVALID, and the errors of `send`, after which the run is still due.
 */
export async function runSchedule(
  deps: ScheduleRunDeps,
  key: DocumentKey,
): Promise<ScheduleRunResult> {
  const stored = await deps.documents.get(key)
  if (stored === undefined) return { kind: 'gone' }
  const schedule = parseDocumentValue(scheduleDocument, stored)
  const isRunning = await deps.isRunning(key.scope)
  const evaluatedSchedule = deps.hasExternalJitter ? { ...schedule, jitterMs: 0 } : schedule
  const verdict = evaluateSchedule(key, evaluatedSchedule, { now: deps.clock.now(), isRunning })
  if (verdict.kind !== 'run' && verdict.kind !== 'skip') return verdict
  const { kind, dueAt } = verdict
  // The write fails if the schedule was changed meanwhile. The next check then evaluates the
  // schedule again.
  const saveLastRun = (runs: Pick<Schedule, 'recentRuns'> = {}) =>
    deps.documents.put(key, { ...schedule, lastAt: dueAt, ...runs }, stored.version)
  if (kind === 'skip') {
    await saveLastRun()
    return verdict
  }
  const taskIds = [`${sealingContextOf(key)} ${dueAt}`]
  const onceResult = await runOnce(
    deps,
    { taskIds, retentionMs: triggerLimits.deliveryRetentionMs },
    () => deps.send(key, schedule, dueAt),
  )
  const recentRuns = [...(schedule.recentRuns ?? []), dueAt].slice(
    -queryLimits.recentRunsPerSchedule,
  )
  if (onceResult.kind !== 'underway') await saveLastRun({ recentRuns })
  return onceResult.kind === 'done' ? verdict : onceResult
}
