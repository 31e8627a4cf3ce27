import { createHash } from 'node:crypto'
import * as z from 'zod'
import { queryLimits } from '../../config/query-limits.ts'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DocumentKey, sealingContextOf } from '../../ports/documents.ts'
import type { EpochMs } from '../../records/ids.ts'
import { tagsForm } from '../stack-tags.ts'
import { type ScheduleTime, nextTimeOf, parseScheduleTime } from './evaluate-cron.ts'

/** The stacks of a shared schedule. Without a condition, it covers all stacks. */
export const stackSelectionForm = z.strictObject({
  /** The names of projects. Empty: all projects. */
  projects: z.array(z.string().min(1).max(100)).max(triggerLimits.selectedProjectsMax).default([]),
  /** The tags that a stack must have, with their values. */
  tags: tagsForm.default({}),
})

/** A stored schedule. Its scope is the stack, or '*' for a shared schedule. */
export const scheduleDocument = z.strictObject({
  /** Cron, rate or at; see `parseScheduleTime`. */
  when: z.string().max(200),
  /** The IANA name of the time zone in which `when` applies. */
  zone: z.string().max(100).default('UTC'),
  operation: z.discriminatedUnion('kind', [
    /**
     * Detects drift and reports it. With `remediate`, an `up` follows if there is drift. With
     * `record`, the refresh is not a preview: it records what it reads in the state.
     */
    z
      .strictObject({
        kind: z.literal('refresh'),
        remediate: z.boolean().default(false),
        record: z.literal(true).optional(),
      })
      .refine(({ remediate, record }) => !remediate || record === undefined, {
        error: 'must not have both remediate and record',
      }),
    z.strictObject({ kind: z.literal('up') }),
    z.strictObject({ kind: z.literal('preview') }),
    z.strictObject({ kind: z.literal('destroy') }),
  ]),
  isPaused: z.boolean().default(false),
  /** Only with a destroy at one time: the stack is removed after the destroy has succeeded. */
  removesStack: z.boolean().optional(),
  /** Only with `removesStack`: the planned time of the removal. Set after the destroy. */
  removalAt: z
    .number()
    .transform(ms => ms as EpochMs)
    .optional(),
  /** Only in shared schedules: the stacks. */
  stacks: stackSelectionForm.optional(),
  /** Only in shared schedules: a stack whose resources were read in this time is skipped. */
  skipReadWithinMs: z.int().min(0).max(triggerLimits.skipReadWithinMaxMs).optional(),
  /** The upper limit of the delay of runs. The delay of one schedule is constant. */
  jitterMs: z.int().min(0).max(triggerLimits.jitterMaxMs).default(0),
  createdAt: z.number().transform(ms => ms as EpochMs),
  /** The time of the last sent or skipped run, or of a later change. Earlier times need no run. */
  lastAt: z
    .number()
    .transform(ms => ms as EpochMs)
    .optional(),
  /**
   * The times of the newest sent runs, the oldest first. Each is the time when the run was due. In
   * a shared schedule, each is the planned time instead.
   */
  recentRuns: z
    .array(z.number().transform(ms => ms as EpochMs))
    .max(queryLimits.recentRunsPerSchedule)
    .optional(),
  /** The name of the schedule at an external scheduler. Absent without such a scheduler. */
  placed: z.string().max(64).optional(),
})

/** The settings of a schedule, with defaults applied. */
export type Schedule = z.infer<typeof scheduleDocument>

/** Reports whether the runs of a schedule detect drift. */
export function detectsDrift({ operation }: Pick<Schedule, 'operation'>): boolean {
  return operation.kind === 'refresh' && operation.record === undefined
}

/**
 * Returns the delay of a schedule's runs in ms, at most `jitterMaxMs`. The delay is constant for
 * a schedule and differs between schedules.
 */
export function jitterOf(key: DocumentKey, jitterMaxMs: number): number {
  if (jitterMaxMs === 0) return 0
  const bytes = createHash('sha256').update(sealingContextOf(key)).digest()
  return Math.floor((bytes.readUInt32BE(0) / 2 ** 32) * jitterMaxMs)
}

/**
 * Returns the time of the first run after `after`, including the jitter, or undefined when there is
 * none. Throws SCHEDULE_INVALID.
 */
export function nextRunOf(
  key: DocumentKey,
  schedule: Schedule,
  after: EpochMs,
): EpochMs | undefined {
  return nextJitteredTimeOf(parseScheduleTime(schedule.when, schedule.zone), {
    key,
    schedule,
    after,
  })
}

function nextJitteredTimeOf(
  time: ScheduleTime,
  {
    key,
    schedule,
    after,
  }: { readonly key: DocumentKey; readonly schedule: Schedule; readonly after: EpochMs },
): EpochMs | undefined {
  const delayMs = jitterOf(key, schedule.jitterMs)
  const { zone, createdAt: since } = schedule
  const next = nextTimeOf(time, { zone, since, after: (after - delayMs) as EpochMs })
  return next === undefined ? undefined : ((next + delayMs) as EpochMs)
}

/** The verdict on a schedule at a time. */
export type ScheduleVerdict =
  /** No run is due before `dueAt`. */
  | { readonly kind: 'wait'; readonly dueAt: EpochMs }
  /** A run is due since `dueAt`: its planned time plus the jitter. `dueAt` identifies the run. */
  | { readonly kind: 'run'; readonly dueAt: EpochMs }
  /** The stack runs another deployment, so this run is skipped. */
  | { readonly kind: 'skip'; readonly dueAt: EpochMs }
  | { readonly kind: 'paused' }
  /** The schedule has no further run. */
  | { readonly kind: 'over' }

/**
 * Evaluates a schedule. Of several missed runs, only the last is due. The caller saves `dueAt` as
 * `lastAt` after it has sent or skipped the run. Throws SCHEDULE_INVALID.
 */
export function evaluateSchedule(
  key: DocumentKey,
  schedule: Schedule,
  { now, isRunning }: { readonly now: EpochMs; readonly isRunning: boolean },
): ScheduleVerdict {
  const time = parseScheduleTime(schedule.when, schedule.zone)
  if (schedule.isPaused) return { kind: 'paused' }
  const lastRunAt = schedule.lastAt ?? schedule.createdAt
  const nextRunAt = nextJitteredTimeOf(time, { key, schedule, after: lastRunAt })
  if (nextRunAt === undefined) return { kind: 'over' }
  if (nextRunAt > now) return { kind: 'wait', dueAt: nextRunAt }
  const dueAt = findLastRun(now, nextRunAt, after =>
    nextJitteredTimeOf(time, { key, schedule, after }),
  )
  // A one-time run is never skipped: it waits in the queue of its stack.
  return { kind: isRunning && time.kind !== 'at' ? 'skip' : 'run', dueAt }
}

/**
 * Returns the last run at or before `now`. The function uses a binary search over time, because a
 * schedule with a run per minute may have missed the runs of years.
 */
function findLastRun(
  now: EpochMs,
  firstRun: EpochMs,
  nextAfter: (after: EpochMs) => EpochMs | undefined,
): EpochMs {
  let lastRun = firstRun
  let upperBound: number = now
  while (upperBound - lastRun > 1) {
    const middle = Math.floor((lastRun + upperBound) / 2) as EpochMs
    const run = nextAfter(middle)
    if (run === undefined || run > now) upperBound = middle
    else lastRun = run
  }
  const run = nextAfter(lastRun)
  return run !== undefined && run <= now ? run : lastRun
}
