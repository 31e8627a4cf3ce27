import { Cron, CronPattern } from 'croner'
import { type DeployError, error, messageOf } from '../../errors/error.ts'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'

/** When something runs, as data. */
export type ScheduleTime =
  /** Five fields, in the local time of a zone. */
  | { readonly kind: 'cron'; readonly fields: string; readonly pattern: CronPattern }
  /** Every `everyMs` since the schedule was made. */
  | { readonly kind: 'rate'; readonly count: number; readonly unit: Unit; readonly everyMs: number }
  /** Once, at a local time of a zone: `2027-01-31T04:00:00`. */
  | { readonly kind: 'at'; readonly local: string; readonly at: EpochMs }

type Unit = 'minute' | 'hour' | 'day'

const unitMs: Readonly<Record<Unit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 24 * 3_600_000,
}

/**
 * Reads `0 4 * * 1-5` or `cron(0 4 * * 1-5)`, `rate(5 minutes)`, `at(2027-01-31T04:00:00)`, in a
 * time zone by its IANA name. A day is 24 hours for a rate, whatever the zone does. Throws
 * SCHEDULE_INVALID with what is wrong.
 */
export function parseScheduleTime(text: string, zone: string): ScheduleTime {
  refuseUnknownZone(zone)
  const [, kind, inner] = /^(cron|rate|at)\((.*)\)$/s.exec(text.trim()) ?? []
  if (kind === 'rate') return parseRate(inner ?? '')
  if (kind === 'at') return parseAt(inner ?? '', zone)
  return parseCron((inner ?? text).trim(), zone)
}

/** The first time after `after`; undefined when there is none any more. */
export function nextTimeOf(
  time: ScheduleTime,
  {
    zone,
    since,
    after,
  }: { readonly zone: string; readonly since: EpochMs; readonly after: EpochMs },
): EpochMs | undefined {
  if (time.kind === 'at') return time.at > after ? time.at : undefined
  if (time.kind === 'rate') {
    const passed = Math.max(0, Math.floor((after - since) / time.everyMs))
    return (since + (passed + 1) * time.everyMs) as EpochMs
  }
  return nextCronTimeOf(time.fields, zone, new Date(after))
}

function parseCron(fields: string, zone: string): ScheduleTime {
  // These mean something else, or nothing, to EventBridge Scheduler.
  const strange = /[^\d\s*,/A-Za-z-]|\b(?:L|W|LW)\b|\d[LW]|^@/.exec(fields)
  if (strange !== null)
    throw invalidError(
      `'${toPrintable(strange[0])}' of '${toPrintable(fields)}' is not known in cron`,
    )
  const count = fields === '' ? 0 : fields.split(/\s+/).length
  if (count !== 5)
    throw invalidError(
      `'${toPrintable(fields)}' has ${count} ${count === 1 ? 'field' : 'fields'}, and cron takes ` +
        'five fields: minute, hour, day of the month, month, day of the week',
    )
  try {
    const pattern = new CronPattern(fields, undefined, { mode: '5-part' })
    if (nextCronTimeOf(fields, zone, new Date(0)) !== undefined)
      return { kind: 'cron', fields, pattern }
  } catch (thrown) {
    const why = messageOf(thrown).replace(/^CronPattern: /, '')
    throw invalidError(`'${toPrintable(fields)}' is no cron expression: ${toPrintable(why)}`)
  }
  throw invalidError(`'${toPrintable(fields)}' is about a day of the month that no year has`)
}

function parseRate(inner: string): ScheduleTime {
  const [, digits, unit] = /^\s*(\d{1,9})\s+(minute|hour|day)s?\s*$/.exec(inner) ?? []
  const count = Number(digits)
  if (unit === undefined || count === 0)
    throw invalidError(
      `'rate(${toPrintable(inner)})' is no rate: it takes a whole number of minutes, hours or days, ` +
        'as rate(5 minutes) or rate(1 day)',
    )
  const everyMs = count * unitMs[unit as Unit]
  return { kind: 'rate', count, unit: unit as Unit, everyMs }
}

function parseAt(inner: string, zone: string): ScheduleTime {
  const local = inner.trim()
  if (!isCalendarTime(local))
    throw invalidError(`'at(${toPrintable(inner)})' is no time like at(2027-01-31T04:00:00)`)
  const at = nextCronTimeOf(local, zone, new Date(0))
  if (at === undefined) throw invalidError(`'at(${local})' is no time after 1970`)
  return { kind: 'at', local, at }
}

/** The thirtieth of February is taken for a day of March by those who only read numbers. */
function isCalendarTime(local: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(local)) return false
  const ms = Date.parse(`${local}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(local)
}

function nextCronTimeOf(fields: string, zone: string, after: Date): EpochMs | undefined {
  const next = new Cron(fields, { timezone: zone, paused: true }).nextRun(after)
  return next === null ? undefined : (next.getTime() as EpochMs)
}

function refuseUnknownZone(zone: string): void {
  // Offsets are taken by Intl too, but are no zones: they know no summer time.
  const isNamed = /^[A-Za-z]/.test(zone)
  try {
    if (!isNamed) throw new Error('it has no name')
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    throw invalidError(`'${toPrintable(zone, 60)}' is no IANA time zone`)
  }
}

function invalidError(why: string): DeployError {
  return error('SCHEDULE_INVALID', `the schedule cannot be read: ${why}`)
}
