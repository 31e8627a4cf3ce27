import { type DeployError, createError } from '../../errors/error.ts'
import type { DocumentKey } from '../../ports/documents.ts'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'
import type { PulumiOperation } from '../pulumi-operation.ts'
import { detectsDrift, nextRunOf, type Schedule } from './due-schedule.ts'
import { parseScheduleTime } from './evaluate-cron.ts'

/**
 * The kinds of schedules that clients know. In this file, clients are those of Pulumi's service.
 * `raw`: every schedule that is of neither other kind.
 */
export type ScheduleKind = 'raw' | 'drift' | 'ttl'

/** Returns the kind of a schedule. A `ttl` (time to live) is a destroy that runs once. */
export function kindOfSchedule(schedule: Schedule): ScheduleKind {
  if (detectsDrift(schedule)) return 'drift'
  const isOnce = schedule.operation.kind === 'destroy' && runsOnce(schedule)
  return isOnce ? 'ttl' : 'raw'
}

function runsOnce({ when, zone }: Pick<Schedule, 'when' | 'zone'>): boolean {
  return parseScheduleTime(when, zone).kind === 'at'
}

/** Returns the operation of a schedule of the kind `raw` that a client requests. */
export function scheduleOperationOf(
  operation: PulumiOperation,
  remediate: boolean,
): Schedule['operation'] {
  if (operation === 'update') return { kind: 'up' }
  if (operation === 'refresh') return { kind: 'refresh', remediate: false, record: true }
  if (operation === 'detect-drift') return { kind: 'refresh', remediate }
  if (operation !== 'remediate-drift') return { kind: operation }
  throw createError(
    'API_INPUT_INVALID',
    `schedules of this installation do not support '${operation}'`,
    {
      hint: 'Create a schedule of the kind drift with `--auto-remediate`.',
    },
  )
}

/** The times of a schedule in a request of a client. Exactly one of the two must be set. */
export interface RequestedTimes {
  readonly scheduleCron?: string | null | undefined
  readonly scheduleOnce?: string | null | undefined
}

/**
 * Returns the time of a requested schedule, in UTC. If the client sends the time that
 * `toScheduleView` returned, the stored time and its time zone stay. Throws API_INPUT_INVALID and
 * SCHEDULE_INVALID.
 */
export function timesOfRequest(
  { scheduleCron, scheduleOnce }: RequestedTimes,
  previous: Schedule | undefined,
): Pick<Schedule, 'when' | 'zone'> {
  const [cron, once] = [scheduleCron ?? '', scheduleOnce ?? '']
  if ((cron === '') === (once === ''))
    throw createInvalidError('a schedule needs either scheduleCron or scheduleOnce')
  const keepsTime =
    previous !== undefined &&
    (once === '' ? expressionTextOf(previous) === cron : onceTimeOf(previous) === Date.parse(once))
  if (keepsTime) return { when: previous.when, zone: previous.zone }
  if (once !== '') return { when: `at(${localTimeOf(once)})`, zone: 'UTC' }
  if (parseScheduleTime(cron, 'UTC').kind !== 'cron')
    throw createInvalidError(`'${toPrintable(cron)}' is not a cron expression of five fields`)
  return { when: cron, zone: 'UTC' }
}

/**
 * Returns a time in UTC as `at()` expects it, in whole seconds. A time without a zone is in UTC, as
 * in `scheduleTimeOf`. Throws API_INPUT_INVALID for another format, and SCHEDULE_INVALID for a day
 * that the calendar does not have.
 */
function localTimeOf(text: string): string {
  const [, date = '', time = '', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ??
    []
  const local = `${date}T${time}`
  const timeMs = Date.parse(`${local}${zone}`)
  if (Number.isNaN(timeMs))
    throw createInvalidError(`'${toPrintable(text)}' is not a time such as 2027-01-31T04:00:00Z`)
  parseScheduleTime(`at(${local})`, 'UTC')
  return new Date(timeMs).toISOString().slice(0, local.length)
}

function createInvalidError(message: string): DeployError {
  return createError('API_INPUT_INVALID', message)
}

/** Returns the expression of a schedule as clients show it, with the time zone unless it is UTC. */
function expressionTextOf({ when, zone }: Pick<Schedule, 'when' | 'zone'>): string {
  return zone === 'UTC' ? when : `${when} ${zone}`
}

/** Returns the time of a schedule that runs once, in ms. NaN for another schedule. */
function onceTimeOf({ when, zone }: Schedule): number {
  const time = parseScheduleTime(when, zone)
  return time.kind === 'at' ? time.timeMs : Number.NaN
}

/** Returns a time in the format that replies about schedules use. */
function scheduleTimeOf(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '')
}

const operationsByKind = { up: 'update', preview: 'preview', destroy: 'destroy' } as const

/**
 * Returns the request of a schedule as clients read it. They recognize the kind by the operation,
 * and a ttl by its context.
 */
function requestOf(schedule: Schedule): object {
  const { operation } = schedule
  const kind = kindOfSchedule(schedule)
  const contextOf = (options: object): object => ({ operationContext: { options } })
  if (kind === 'ttl') {
    const { removesStack: deleteAfterDestroy = false } = schedule
    return { operation: 'destroy', ...contextOf({ deleteAfterDestroy }) }
  }
  if (operation.kind !== 'refresh') return { operation: operationsByKind[operation.kind] }
  if (kind === 'raw') return { operation: 'refresh' }
  const { remediate } = operation
  return { operation: 'detect-drift', ...contextOf({ remediateIfDriftDetected: remediate }) }
}

/** Returns a schedule as clients see it. */
export function toScheduleView(key: DocumentKey, schedule: Schedule, now: EpochMs): object {
  const { when, zone, isPaused, createdAt, lastAt = createdAt, recentRuns } = schedule
  const time = parseScheduleTime(when, zone)
  const next = isPaused ? undefined : nextRunOf(key, schedule, now)
  const last = recentRuns?.at(-1)
  return {
    id: key.name,
    orgID: '',
    kind: 'deployment',
    paused: isPaused,
    ...(time.kind === 'at'
      ? { scheduleOnce: scheduleTimeOf(time.timeMs) }
      : { scheduleCron: expressionTextOf(schedule) }),
    ...(next === undefined ? {} : { nextExecution: scheduleTimeOf(next) }),
    definition: { programID: '', request: { ...requestOf(schedule), inheritSettings: true } },
    created: scheduleTimeOf(createdAt),
    modified: scheduleTimeOf(lastAt),
    lastExecuted: last === undefined ? null : scheduleTimeOf(last),
  }
}

/** A schedule as `stack schedule` prints it. */
export interface ScheduleSummary {
  readonly id: string
  readonly type: ScheduleKind
  readonly settings: string
  readonly schedule: string
  readonly nextRun?: string
  readonly lastRun?: string
  readonly created: string
}

/**
 * Returns a schedule in the format of `stack schedule get --output json`. Source: the function
 * `summarizeSchedule` in cmd/pulumi/stack/stack_schedule.go of Pulumi 3.274.1.
 */
export function summarizeSchedule(
  key: DocumentKey,
  schedule: Schedule,
  now: EpochMs,
): ScheduleSummary {
  const { isPaused, createdAt, recentRuns } = schedule
  const next = isPaused ? undefined : nextRunOf(key, schedule, now)
  const last = recentRuns?.at(-1)
  return {
    id: key.name,
    type: kindOfSchedule(schedule),
    settings: settingsTextOf(schedule),
    schedule: runsOnce(schedule) ? 'Once' : expressionTextOf(schedule),
    ...(next === undefined ? {} : { nextRun: scheduleTimeOf(next) }),
    ...(last === undefined ? {} : { lastRun: scheduleTimeOf(last) }),
    created: scheduleTimeOf(createdAt),
  }
}

/** Returns the operation of a schedule in a few words. */
function settingsTextOf(schedule: Schedule): string {
  const { operation } = schedule
  if (operation.kind === 'destroy')
    return schedule.removesStack === true ? 'destroy + delete stack' : 'destroy'
  if (operation.kind !== 'refresh') return `pulumi ${operationsByKind[operation.kind]}`
  if (!detectsDrift(schedule)) return 'pulumi refresh'
  return operation.remediate ? 'detect + auto-remediate' : 'detect'
}
