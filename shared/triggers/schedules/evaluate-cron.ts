import { Cron, CronPattern } from 'croner'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DeployError, createError, messageOf } from '../../errors/error.ts'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'

/** The parsed times of a schedule. */
export type ScheduleTime =
  /** Five fields, in the local time of a zone. */
  | { readonly kind: 'cron'; readonly fields: string; readonly pattern: CronPattern }
  /** Every `intervalMs` since the creation of the schedule. */
  | {
      readonly kind: 'rate'
      readonly count: number
      readonly unit: Unit
      readonly intervalMs: number
    }
  /** Once, at a local time of a zone: `2027-01-31T04:00:00`. */
  | { readonly kind: 'at'; readonly local: string; readonly timeMs: EpochMs }

type Unit = 'minute' | 'hour' | 'day'

const unitMs: Readonly<Record<Unit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 24 * 3_600_000,
}

/**
 * Parses `0 4 * * 1-5` or `cron(0 4 * * 1-5)`, `rate(5 minutes)`, `at(2027-01-31T04:00:00)`, in the
 * time zone of an IANA name. A day of a rate has 24 hours in every zone. Throws SCHEDULE_INVALID
 * with the reason.
 */
export function parseScheduleTime(text: string, zone: string): ScheduleTime {
  refuseUnknownZone(zone)
  const [, kind, inner] = /^(cron|rate|at)\((.*)\)$/s.exec(text.trim()) ?? []
  if (kind === 'rate') return parseRate(inner ?? '')
  if (kind === 'at') return parseAt(inner ?? '', zone)
  return parseCron((inner ?? text).trim(), zone)
}

/**
 * Returns the first time after `after`, or undefined when there is none. `since`: the creation of
 * the schedule, from which a rate counts.
 */
export function nextTimeOf(
  time: ScheduleTime,
  {
    zone,
    since,
    after,
  }: { readonly zone: string; readonly since: EpochMs; readonly after: EpochMs },
): EpochMs | undefined {
  if (time.kind === 'at') return time.timeMs > after ? time.timeMs : undefined
  if (time.kind === 'rate') {
    const elapsedCount = Math.max(0, Math.floor((after - since) / time.intervalMs))
    return (since + (elapsedCount + 1) * time.intervalMs) as EpochMs
  }
  return nextCronTimeOf(time.fields, zone, new Date(after))
}

/**
 * Text that a cron expression must not contain: special characters, and the letters L and W for
 * last days and nearest weekdays. EventBridge Scheduler does not support such text, or interprets
 * it differently. The parser accepts the letters in upper and lower case, also after the name of a
 * weekday.
 */
const unsupportedCronText =
  /[^\d\s*,/a-z-]|\b(?:l|w|lw)\b|\d[lw]|(?:sun|mon|tue|wed|thu|fri|sat)l|^@/i

function parseCron(fields: string, zone: string): ScheduleTime {
  const unsupported = unsupportedCronText.exec(fields)
  if (unsupported !== null)
    throw createInvalidError(
      `'${toPrintable(unsupported[0])}' in '${toPrintable(fields)}' is not supported in a cron expression`,
    )
  const count = fields === '' ? 0 : fields.split(/\s+/).length
  if (count !== 5)
    throw createInvalidError(
      `'${toPrintable(fields)}' has ${count} ${count === 1 ? 'field' : 'fields'}, and cron takes ` +
        'five fields: minute, hour, day of the month, month, day of the week',
    )
  try {
    const pattern = new CronPattern(fields, undefined, { mode: '5-part' })
    if (nextCronTimeOf(fields, zone, new Date(0)) !== undefined)
      return { kind: 'cron', fields, pattern }
  } catch (thrown) {
    const reason = messageOf(thrown).replace(/^CronPattern: /, '')
    throw createInvalidError(
      `'${toPrintable(fields)}' is not a valid cron expression: ${toPrintable(reason)}`,
    )
  }
  throw createInvalidError(`'${toPrintable(fields)}' names a day of the month that does not exist`)
}

function parseRate(inner: string): ScheduleTime {
  const [, digits, unit] = /^\s*(\d{1,9})\s+(minute|hour|day)s?\s*$/.exec(inner) ?? []
  const count = Number(digits)
  if (unit === undefined || count === 0)
    throw createInvalidError(
      `'rate(${toPrintable(inner)})' is not a valid rate: it takes a whole number of minutes, hours or days, such as rate(5 minutes) or rate(1 day)`,
    )
  const intervalMs = count * unitMs[unit as Unit]
  if (intervalMs > triggerLimits.rateIntervalMaxMs)
    throw createInvalidError(`'rate(${toPrintable(inner)})' is longer than ten years`)
  return { kind: 'rate', count, unit: unit as Unit, intervalMs }
}

function parseAt(inner: string, zone: string): ScheduleTime {
  const local = inner.trim()
  if (!isCalendarTime(local))
    throw createInvalidError(
      `'at(${toPrintable(inner)})' is not a valid time such as at(2027-01-31T04:00:00)`,
    )
  const timeMs = nextCronTimeOf(local, zone, new Date(0))
  if (timeMs === undefined) throw createInvalidError(`'at(${local})' is not a time after 1970`)
  return { kind: 'at', local, timeMs }
}

/**
 * Reports whether a time exists in the calendar. `Date.parse` alone accepts February 30 as a day of
 * March.
 */
function isCalendarTime(local: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(local)) return false
  const ms = Date.parse(`${local}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(local)
}

/** Returns the next time of five cron fields, or of a local time such as `2027-01-31T04:00:00`. */
function nextCronTimeOf(expression: string, zone: string, after: Date): EpochMs | undefined {
  const next = new Cron(expression, { timezone: zone, paused: true }).nextRun(after)
  return next === null ? undefined : (next.getTime() as EpochMs)
}

function refuseUnknownZone(zone: string): void {
  // Intl also accepts offsets. They are not zones, because they have no daylight saving time.
  const hasName = /^[A-Za-z]/.test(zone)
  try {
    if (!hasName) throw new Error('it has no name')
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    throw createInvalidError(`'${toPrintable(zone, 60)}' is not an IANA time zone`)
  }
}

function createInvalidError(reason: string): DeployError {
  return createError('SCHEDULE_INVALID', `the schedule is invalid: ${reason}`)
}
