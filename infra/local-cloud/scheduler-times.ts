import { Cron } from 'croner'

/** The times of a schedule as EventBridge Scheduler stores them. */
export interface SchedulerTimes {
  readonly expression: string
  readonly zone: string
  /** Milliseconds since 1970, like all times here. */
  readonly startAt?: number
  readonly createdAt: number
}

const unitMs: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/**
 * Returns the first time of a schedule after `afterMs`. Returns undefined if there is none, and for
 * an invalid expression or a cron expression with a year. Source: the documentation of EventBridge
 * Scheduler on types of schedules.
 */
export function findNextTime(times: SchedulerTimes, afterMs: number): number | undefined {
  const { expression, zone, startAt = times.createdAt } = times
  const [, kind, argument = ''] = /^(rate|cron|at)\((.*)\)$/.exec(expression) ?? []
  if (kind === 'rate') return computeNextRateTime(argument, startAt, afterMs)
  const searchAfterMs = Math.max(afterMs, startAt - 1)
  // The library also accepts a date as a pattern.
  if (kind === 'at') return findNextCronTime(argument, zone, searchAfterMs)
  const fields = argument.split(' ')
  if (kind !== 'cron' || fields.length !== 6 || fields[5] !== '*') return undefined
  return findNextCronTime(fields.slice(0, 5).join(' ').replace('?', '*'), zone, searchAfterMs)
}

function computeNextRateTime(
  argument: string,
  startAt: number,
  afterMs: number,
): number | undefined {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(argument) ?? []
  const intervalMs = Number(count) * (unitMs[unit] ?? Number.NaN)
  if (!(intervalMs > 0)) return undefined
  if (afterMs < startAt) return startAt
  return startAt + (Math.floor((afterMs - startAt) / intervalMs) + 1) * intervalMs
}

/**
 * Returns the first time after `afterMs` that matches a pattern: five cron fields, or a date.
 * Returns undefined if there is none, or if the pattern is invalid. Sunday is day 1 of the week.
 */
function findNextCronTime(pattern: string, zone: string, afterMs: number): number | undefined {
  try {
    const cron = new Cron(pattern, { timezone: zone, paused: true, alternativeWeekdays: true })
    return cron.nextRun(new Date(afterMs))?.getTime()
  } catch {
    return undefined
  }
}
