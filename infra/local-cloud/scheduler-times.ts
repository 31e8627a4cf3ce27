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
 * Returns the first time of a schedule after `after`. Undefined when there is none, and for an
 * unsupported expression: a year, `L`, `W` and `#` of cron. Source: the documentation of
 * EventBridge Scheduler on types of schedules.
 */
export function nextTimeAfter(times: SchedulerTimes, after: number): number | undefined {
  const { expression, zone, startAt = times.createdAt } = times
  const [, kind, inner = ''] = /^(rate|cron|at)\((.*)\)$/.exec(expression) ?? []
  if (kind === 'rate') return nextRateTime(inner, startAt, after)
  const from = Math.max(after, startAt - 1)
  if (kind === 'at') return nextCronTime(inner, zone, from)
  const fields = inner.split(' ')
  if (kind !== 'cron' || fields.length !== 6 || fields[5] !== '*') return undefined
  return nextCronTime(fields.slice(0, 5).join(' ').replace('?', '*'), zone, from)
}

function nextRateTime(inner: string, startAt: number, after: number): number | undefined {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(inner) ?? []
  const everyMs = Number(count) * (unitMs[unit] ?? Number.NaN)
  if (!(everyMs > 0)) return undefined
  if (after < startAt) return startAt
  return startAt + (Math.floor((after - startAt) / everyMs) + 1) * everyMs
}

/** In this syntax, days of the week count from Sunday as 1. */
function nextCronTime(fields: string, zone: string, after: number): number | undefined {
  try {
    const cron = new Cron(fields, { timezone: zone, paused: true, alternativeWeekdays: true })
    return cron.nextRun(new Date(after))?.getTime()
  } catch {
    return undefined
  }
}
