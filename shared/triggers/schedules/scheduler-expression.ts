import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { SchedulerExpression } from '../../ports/scheduler.ts'
import type { EpochMs } from '../../records/ids.ts'
import type { Schedule } from './due-schedule.ts'
import { type ScheduleTime, nextTimeOf, parseScheduleTime } from './evaluate-cron.ts'

/**
 * Converts a schedule to EventBridge Scheduler's syntax. The cron of that syntax has six fields.
 * Weekday numbers begin with Sunday as 1, and either day of month or day of week must be `?`.
 * Jitter becomes the flexible window, in which AWS chooses the time. A rate starts at its first
 * time after `now`, because past start times are refused. Throws SCHEDULE_INVALID for an
 * unsupported schedule.
 */
export function schedulerExpressionOf(schedule: Schedule, now: EpochMs): SchedulerExpression {
  const { zone, createdAt: since } = schedule
  const time = parseScheduleTime(schedule.when, zone)
  const startAt = time.kind === 'rate' ? nextTimeOf(time, { zone, since, after: now }) : undefined
  const windowMinutes = Math.ceil(schedule.jitterMs / 60_000)
  // The schedule function itself applies the delay of each stack, so it must be called regularly.
  if (schedule.stacks !== undefined && windowMinutes > 0)
    return { expression: `rate(${triggerLimits.sharedScheduleCallMinutes} minutes)`, zone }
  return {
    expression: expressionOf(time),
    zone,
    ...(startAt === undefined ? {} : { startAt }),
    ...(windowMinutes === 0 ? {} : { windowMinutes }),
  }
}

function expressionOf(time: ScheduleTime): string {
  if (time.kind === 'at') return `at(${time.local})`
  if (time.kind === 'rate') return `rate(${time.count} ${time.unit}${time.count === 1 ? '' : 's'})`
  const { pattern, fields } = time
  // Standard cron runs on each day that matches the day of the month or the day of the week, unless
  // a field is `*`. A field such as `1-31` is not `*`.
  if (!pattern.starDOM && !pattern.starDOW)
    throw createError(
      'SCHEDULE_INVALID',
      `EventBridge Scheduler does not support '${fields}': use either days of the month or days of the week`,
      {
        hint: 'Create two schedules, one for the days of the month and one for the days of the week.',
      },
    )
  const isByWeekday = !pattern.starDOW
  return `cron(${[
    formatField(pattern.minute, 0),
    formatField(pattern.hour, 0),
    isByWeekday ? '?' : formatField(pattern.day, 1),
    formatField(pattern.month, 1),
    isByWeekday ? formatField(pattern.dayOfWeek, 1) : '?',
    '*',
  ].join(' ')})`
}

/**
 * Formats a cron field. `flags` has a number for each value from `firstValue`: 0 if the field does
 * not contain the value. Three or more consecutive values become a range: `0,15,30-45`.
 */
function formatField(flags: readonly number[], firstValue: number): string {
  if (flags.every(flag => flag !== 0)) return '*'
  const values = flags.flatMap((flag, index) => (flag === 0 ? [] : [index + firstValue]))
  const ranges: number[][] = []
  for (const value of values) {
    const range = ranges.at(-1)
    if (range !== undefined && range.at(-1) === value - 1) range.push(value)
    else ranges.push([value])
  }
  return ranges
    .map(range => (range.length < 3 ? range.join(',') : `${range[0]}-${range.at(-1)}`))
    .join(',')
}
