import { createHash } from 'node:crypto'
import { z } from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DocumentKey, sealingContextOf } from '../../ports/documents.ts'
import type { EpochMs } from '../../records/ids.ts'
import { type ScheduleTime, nextTimeOf, parseScheduleTime } from './cron-schedule.ts'

/** A schedule as it is stored, with the stack as its scope. */
export const scheduleDocument = z.strictObject({
  /** Cron, rate or at; see `parseScheduleTime`. */
  when: z.string().max(200),
  zone: z.string().max(100).default('UTC'),
  operation: z.discriminatedUnion('kind', [
    /** Finds drift and reports it; with `remediate` an `up` follows when there is any. */
    z.strictObject({ kind: z.literal('refresh'), remediate: z.boolean().default(false) }),
    z.strictObject({ kind: z.literal('up') }),
    z.strictObject({ kind: z.literal('destroy') }),
  ]),
  isPaused: z.boolean().default(false),
  /** Runs are moved by up to so much, each schedule by its own amount. */
  jitterMs: z.int().min(0).max(triggerLimits.jitterMaxMs).default(0),
  createdAt: z.number().transform(ms => ms as EpochMs),
  /** The time of the last run that was taken or skipped: what lies before it is over. */
  lastAt: z
    .number()
    .transform(ms => ms as EpochMs)
    .optional(),
  /** The name of the calls for it at a scheduler, where there is one; they were placed before. */
  placed: z.string().max(64).optional(),
})

/** A schedule as data. */
export type Schedule = z.infer<typeof scheduleDocument>

/** How far the runs of a schedule are moved: the same at every look, different for each name. */
export function jitterOf(key: DocumentKey, jitterMs: number): number {
  if (jitterMs === 0) return 0
  const bytes = createHash('sha256').update(sealingContextOf(key)).digest()
  return Math.floor((bytes.readUInt32BE(0) / 2 ** 32) * jitterMs)
}

/** The first run after `after`, moved by its jitter. Throws SCHEDULE_INVALID. */
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

/** What is to be done about a schedule now. */
export type ScheduleVerdict =
  /** Nothing is due before `at`. */
  | { readonly kind: 'wait'; readonly at: EpochMs }
  /** Run; `at` is the time that it was meant for, and names the run. */
  | { readonly kind: 'run'; readonly at: EpochMs }
  /** Its stack runs something: this run is left out, the next one counts. */
  | { readonly kind: 'skip'; readonly at: EpochMs }
  | { readonly kind: 'paused' }
  /** It had its only run, or all there will ever be. */
  | { readonly kind: 'over' }

/**
 * Decides on a schedule. Of runs that were missed because nobody was there only the last is made up
 * for. Whoever ran or skipped one notes `at` as `lastAt`. Throws SCHEDULE_INVALID.
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
  // What is to happen once is not left out: it waits in the queue of its stack.
  return { kind: isRunning && time.kind !== 'at' ? 'skip' : 'run', at }
}

/**
 * The last run not after `now`, found by halving the time in which it must lie: a schedule may have
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
