import { createHash } from 'node:crypto'
import { z } from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DocumentKey, sealingContextOf } from '../../ports/documents.ts'
import type { EpochMs } from '../../records/ids.ts'
import { type ScheduleTime, nextTimeOf, parseScheduleTime } from './cron-schedule.ts'

/** A stored schedule. Its scope is the stack. */
export const scheduleDocument = z.strictObject({
  /** Cron, rate or at; see `parseScheduleTime`. */
  when: z.string().max(200),
  zone: z.string().max(100).default('UTC'),
  operation: z.discriminatedUnion('kind', [
    /** Detects drift and reports it. With `remediate`, an `up` follows if there is drift. */
    z.strictObject({ kind: z.literal('refresh'), remediate: z.boolean().default(false) }),
    z.strictObject({ kind: z.literal('up') }),
    z.strictObject({ kind: z.literal('destroy') }),
  ]),
  isPaused: z.boolean().default(false),
  /** Runs are delayed by up to this time, each schedule by a constant amount. */
  jitterMs: z.int().min(0).max(triggerLimits.jitterMaxMs).default(0),
  createdAt: z.number().transform(ms => ms as EpochMs),
  /** The time of the last sent or skipped run. Earlier times are done. */
  lastAt: z
    .number()
    .transform(ms => ms as EpochMs)
    .optional(),
  /** The name of its calls at a scheduler, if there is one. They were created before. */
  placed: z.string().max(64).optional(),
})

/** A schedule. */
export type Schedule = z.infer<typeof scheduleDocument>

/** Returns the delay of a schedule's runs. It is constant for a name and differs between names. */
export function jitterOf(key: DocumentKey, jitterMs: number): number {
  if (jitterMs === 0) return 0
  const bytes = createHash('sha256').update(sealingContextOf(key)).digest()
  return Math.floor((bytes.readUInt32BE(0) / 2 ** 32) * jitterMs)
}

/** Returns the first run after `after`, including its jitter. Throws SCHEDULE_INVALID. */
export function nextRunOf(
  key: DocumentKey,
  schedule: Schedule,
  after: EpochMs,
): EpochMs | undefined {
  return nextMovedTimeOf(parseScheduleTime(schedule.when, schedule.zone), { key, schedule, after })
}

function nextMovedTimeOf(
  time: ScheduleTime,
  {
    key,
    schedule,
    after,
  }: { readonly key: DocumentKey; readonly schedule: Schedule; readonly after: EpochMs },
): EpochMs | undefined {
  const moved = jitterOf(key, schedule.jitterMs)
  const times = { zone: schedule.zone, since: schedule.createdAt }
  const next = nextTimeOf(time, { ...times, after: (after - moved) as EpochMs })
  return next === undefined ? undefined : ((next + moved) as EpochMs)
}

/** The verdict on a schedule at a time. */
export type ScheduleVerdict =
  /** No run is due before `at`. */
  | { readonly kind: 'wait'; readonly at: EpochMs }
  /** Run now. `at` is the planned time and identifies the run. */
  | { readonly kind: 'run'; readonly at: EpochMs }
  /** The stack runs another deployment: this run is skipped, and the next one counts. */
  | { readonly kind: 'skip'; readonly at: EpochMs }
  | { readonly kind: 'paused' }
  /** All runs of the schedule are done. */
  | { readonly kind: 'over' }

/**
 * Evaluates a schedule. Of the missed runs, only the last one is made up for. The caller saves `at`
 * as `lastAt` after it has run or skipped it. Throws SCHEDULE_INVALID.
 */
export function evaluateSchedule(
  key: DocumentKey,
  schedule: Schedule,
  { now, isRunning }: { readonly now: EpochMs; readonly isRunning: boolean },
): ScheduleVerdict {
  const time = parseScheduleTime(schedule.when, schedule.zone)
  if (schedule.isPaused) return { kind: 'paused' }
  const from = schedule.lastAt ?? schedule.createdAt
  const first = nextMovedTimeOf(time, { key, schedule, after: from })
  if (first === undefined) return { kind: 'over' }
  if (first > now) return { kind: 'wait', at: first }
  const at = findLastRun(now, first, after => nextMovedTimeOf(time, { key, schedule, after }))
  // A one-time run is never skipped: it waits in the queue of its stack.
  return { kind: isRunning && time.kind !== 'at' ? 'skip' : 'run', at }
}

/**
 * Returns the last run not after `now`, by a binary search over time, because a schedule may have
 * missed years of minutes.
 */
function findLastRun(
  now: EpochMs,
  first: EpochMs,
  nextAfter: (after: EpochMs) => EpochMs | undefined,
): EpochMs {
  let found = first
  let beyond: number = now
  while (beyond - found > 1) {
    const middle = Math.floor((found + beyond) / 2) as EpochMs
    const run = nextAfter(middle)
    if (run === undefined || run > now) beyond = middle
    else found = run
  }
  const run = nextAfter(found)
  return run !== undefined && run <= now ? run : found
}
