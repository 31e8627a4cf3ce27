import type { DocumentKey, TriggerPorts } from '../../ports/documents.ts'
import { type EpochMs, type StackId, stackPartsOf } from '../../records/ids.ts'
import { readTags, type StackTags } from '../stack-tags.ts'
import { evaluateSchedule, jitterOf, type Schedule } from './due-schedule.ts'

/** Returns the key of the document of a shared schedule. */
export function sharedScheduleDocumentKeyOf(name: string): DocumentKey {
  return { kind: 'schedule', scope: '*', name }
}

/** Reports whether a selection covers a stack with these tags. Pure. */
export function selectsStack(
  { projects = [], tags = {} }: Partial<NonNullable<Schedule['stacks']>>,
  stack: StackId,
  stackTags: StackTags,
): boolean {
  const { project } = stackPartsOf(stack)
  if (projects.length > 0 && !projects.includes(project)) return false
  return Object.entries(tags).every(([name, value]) => stackTags[name] === value)
}

/** Reports whether a shared schedule covers a stack. Reads tags only if the schedule names some. */
export async function isCoveredBySharedSchedule(
  ports: { readonly documents: Pick<TriggerPorts['documents'], 'get'> },
  { stacks = { projects: [], tags: {} } }: Pick<Schedule, 'stacks'>,
  stack: StackId,
): Promise<boolean> {
  if (!selectsStack({ projects: stacks.projects }, stack, {})) return false
  if (Object.keys(stacks.tags).length === 0) return true
  return selectsStack(stacks, stack, await readTags(ports, stack))
}

/**
 * Returns the planned time of the run of a shared schedule that is due for a stack. A run is due
 * for a stack at its planned time plus the jitter of the stack, which is constant. Returns
 * undefined if no run is due. Pure. Throws SCHEDULE_INVALID.
 */
export function findDueRun(
  { schedule, name }: { readonly schedule: Schedule; readonly name: string },
  stack: StackId,
  now: EpochMs,
): EpochMs | undefined {
  const key = { kind: 'schedule', scope: stack, name } as const
  const verdict = evaluateSchedule(key, schedule, { now, isRunning: false })
  if (verdict.kind !== 'run') return undefined
  return (verdict.dueAt - jitterOf(key, schedule.jitterMs)) as EpochMs
}

/** The time from the planned time of a run until it is due for every stack, `jitterMs` later. */
export interface DueWindow {
  readonly plannedAt: EpochMs
  readonly hasEnded: boolean
}

/**
 * Returns the window of the newest run. Returns undefined if no run can be due for a stack. Then
 * the caller need not list the stacks. Pure. Throws SCHEDULE_INVALID.
 */
export function findDueWindow(
  { schedule, name }: { readonly schedule: Schedule; readonly name: string },
  now: EpochMs,
): DueWindow | undefined {
  const { jitterMs, lastAt, createdAt } = schedule
  // `lastAt` is the time of the last check that saved it. A run that was planned before `lastAt`
  // may still become due for a stack, up to `jitterMs` after its planned time.
  const since = ((lastAt ?? createdAt) - jitterMs) as EpochMs
  const scheduleWithoutJitter = { ...schedule, jitterMs: 0, lastAt: since }
  const verdict = evaluateSchedule(sharedScheduleDocumentKeyOf(name), scheduleWithoutJitter, {
    now,
    isRunning: false,
  })
  if (verdict.kind !== 'run') return undefined
  // Without jitter, a run is due at its planned time.
  return { plannedAt: verdict.dueAt, hasEnded: verdict.dueAt + jitterMs <= now }
}
