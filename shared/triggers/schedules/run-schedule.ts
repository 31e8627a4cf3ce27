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
} from './schedule.ts'
import { parseDocument } from '../webhooks/webhook-document.ts'

/** What a schedule is run with. */
export interface ScheduleRunDeps extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly clock: Pick<ClockPort, 'now'>
  /** Whether the stack of this key runs something. */
  readonly isRunning: (scope: DocumentKey['scope']) => Promise<boolean>
  /** Asks for the operation; `at` names the run. */
  readonly send: (key: DocumentKey, schedule: Schedule, at: EpochMs) => Promise<void>
  /** Whether somebody else spreads the runs already, as EventBridge Scheduler's window does. */
  readonly isSpreadElsewhere?: boolean
}

/** What was done about a schedule; `gone`: there is none of this name any more. */
export type ScheduleRun = ScheduleVerdict | { readonly kind: 'gone' | 'repeated' | 'underway' }

/**
 * Looks at a schedule and does what is due. Of those who look at once one sends; a run counts as
 * had once it was sent, so who dies before lets another do it. Throws DOCUMENT_INVALID,
 * SCHEDULE_INVALID, and what `send` throws: then the run is still due.
 */
export async function runSchedule(deps: ScheduleRunDeps, key: DocumentKey): Promise<ScheduleRun> {
  const stored = await deps.documents.get(key)
  if (stored === undefined) return { kind: 'gone' }
  const schedule = parseDocument(scheduleDocument, stored)
  const isRunning = await deps.isRunning(key.scope)
  const judged = deps.isSpreadElsewhere === true ? { ...schedule, jitterMs: 0 } : schedule
  const verdict = evaluateSchedule(key, judged, { now: deps.clock.now(), isRunning })
  if (verdict.kind !== 'run' && verdict.kind !== 'skip') return verdict
  const { kind, at } = verdict
  // Refused when the schedule was changed meanwhile: the next look comes here again.
  const saveLastRun = () => deps.documents.put(key, { ...schedule, lastAt: at }, stored.version)
  if (kind === 'skip') {
    await saveLastRun()
    return verdict
  }
  const names = [`${sealingContextOf(key)} ${at}`]
  const sent = await runOnce(deps, { names, keptMs: triggerLimits.deliveryKeptMs }, () =>
    deps.send(key, schedule, at),
  )
  if (sent.kind !== 'underway') await saveLastRun()
  return sent.kind === 'done' ? verdict : sent
}
