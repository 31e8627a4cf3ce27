import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DocumentKey } from '../../ports/documents.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import {
  type Schedule,
  jitterOf,
  evaluateSchedule,
  nextRunOf,
  scheduleDocument,
} from './due-schedule.ts'
import { schedulerExpressionOf } from './scheduler-expression.ts'

const key: DocumentKey = {
  kind: 'schedule',
  scope: 'organization/shop/prod' as StackId,
  name: 'nightly',
}
const parseMs = (text: string): EpochMs => Date.parse(text) as EpochMs
const createSchedule = (when: string, overrides: object = {}): Schedule =>
  scheduleDocument.parse({
    when,
    operation: { kind: 'refresh' },
    createdAt: parseMs('2026-01-01T00:00:00Z'),
    ...overrides,
  })
const nextIso = (schedule: Schedule, after: string): string | undefined => {
  const next = nextRunOf(key, schedule, parseMs(after))
  return next === undefined ? undefined : new Date(next).toISOString()
}
const invalid = { code: 'SCHEDULE_INVALID' }

describe('the times of a schedule', () => {
  test.each<[string, string, string, string | undefined]>([
    ['0 4 * * *', 'UTC', '2026-05-01T03:59:59Z', '2026-05-01T04:00:00.000Z'],
    ['0 4 * * *', 'UTC', '2026-05-01T04:00:00Z', '2026-05-02T04:00:00.000Z'],
    ['cron(0 4 * * *)', 'UTC', '2026-05-01T04:00:00Z', '2026-05-02T04:00:00.000Z'],
    ['0 4 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z', '2026-01-01T03:00:00.000Z'],
    ['0 4 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T02:00:00.000Z'],
    ['0 4 * * *', 'Asia/Kolkata', '2026-07-01T00:00:00Z', '2026-07-01T22:30:00.000Z'],
    ['0 9 * * MON-FRI', 'UTC', '2026-05-01T09:00:00Z', '2026-05-04T09:00:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2026-05-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 1 * 1', 'UTC', '2026-05-02T00:00:00Z', '2026-05-04T00:00:00.000Z'],
    ['*/15 * * * *', 'UTC', '2026-05-01T00:14:59Z', '2026-05-01T00:15:00.000Z'],
    // In Berlin, 2:30 does not exist on 2026-03-29, and occurs twice on 2026-10-25.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    ['rate(5 minutes)', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00.000Z'],
    ['rate(5 minutes)', 'UTC', '2026-01-01T00:05:00Z', '2026-01-01T00:10:00.000Z'],
    ['rate(1 day)', 'UTC', '2026-05-01T13:00:00Z', '2026-05-02T00:00:00.000Z'],
    ['rate(2 hours)', 'UTC', '2025-01-01T00:00:00Z', '2026-01-01T02:00:00.000Z'],
    ['at(2027-01-31T04:00:00)', 'UTC', '2026-05-01T00:00:00Z', '2027-01-31T04:00:00.000Z'],
    ['at(2027-01-31T04:00:00)', 'Asia/Tokyo', '2026-05-01T00:00:00Z', '2027-01-30T19:00:00.000Z'],
    ['at(2027-01-31T04:00:00)', 'UTC', '2027-01-31T04:00:00Z', undefined],
  ])('the first time of %s in the zone %s after %s is %s', (when, zone, after, next) => {
    expect(nextIso(createSchedule(when, { zone }), after)).toBe(next)
  })

  test.each<[string, string, string]>([
    ['', 'UTC', 'five fields'],
    ['* * * *', 'UTC', "'* * * *' has 4 fields, and cron takes five fields: minute, hour"],
    ['daily', 'UTC', "'daily' has 1 field, and cron takes five fields"],
    ['* * * * * *', 'UTC', 'has 6 fields'],
    ['61 * * * *', 'UTC', 'minute: 61'],
    ['0 24 * * *', 'UTC', 'hour: 24'],
    ['0 0 32 * *', 'UTC', '32'],
    ['0 0 30 2 *', 'UTC', "'0 0 30 2 *' names a day of the month that does not exist"],
    ['5/15 * * * *', 'UTC', '5/15'],
    ['0 0 L * *', 'UTC', "'L'"],
    ['0 0 15W * *', 'UTC', "'5W'"],
    ['0 0 * * 5L', 'UTC', "'5L'"],
    ['0 0 1,l * *', 'UTC', "'l'"],
    ['0 0 15w * *', 'UTC', "'5w'"],
    ['0 0 lw * *', 'UTC', "'lw'"],
    ['0 0 * * 5l', 'UTC', "'5l'"],
    ['0 0 * * FRIL', 'UTC', "'FRIL'"],
    ['0 0 * * friL', 'UTC', "'friL'"],
    ['0 0 * * 1#2', 'UTC', "'#'"],
    ['0 0 ? * *', 'UTC', "'?'"],
    ['@daily', 'UTC', "'@'"],
    ['cron(0 4 * *)', 'UTC', 'five'],
    ['a\nb * * * *', 'UTC', '\\u{a}'],
    ['rate(0 minutes)', 'UTC', 'rate(5 minutes)'],
    ['rate(999999999 days)', 'UTC', 'is longer than ten years'],
    ['rate(5 seconds)', 'UTC', 'a whole number of minutes, hours or days'],
    ['rate(1 fortnight)', 'UTC', 'minutes, hours or days, such as rate(5 minutes)'],
    ['rate(1.5 hours)', 'UTC', 'rate(5 minutes)'],
    ['rate(minutes)', 'UTC', 'rate(5 minutes)'],
    ['at(tomorrow)', 'UTC', 'is not a valid time such as'],
    ['at(2027-02-30T00:00:00)', 'UTC', 'is not a valid time such as'],
    ['at(2027-01-31T04:00:00Z)', 'UTC', 'is not a valid time such as'],
    ['at(1960-01-31T04:00:00)', 'UTC', 'after 1970'],
    ['0 4 * * *', 'Mars/Olympus', "'Mars/Olympus' is not an IANA"],
    ['0 4 * * *', '+02:00', 'IANA'],
    ['0 4 * * *', '', 'IANA'],
  ])('the error of %j in the zone %j contains: %s', (when, zone, why) => {
    const schedule = createSchedule(when, { zone })
    expect(() => nextRunOf(key, schedule, parseMs('2026-01-01T00:00:00Z'))).toThrow(
      expect.objectContaining({ ...invalid, message: expect.stringContaining(why) }),
    )
  })

  const someWhen = fc.constantFrom('*/7 * * * *', '0 4 * * 1-5', '0 0 1 * *', 'rate(5 minutes)')
  const someTime = fc.integer({
    min: parseMs('2026-01-01T00:00:00Z'),
    max: parseMs('2029-01-01T00:00:00Z'),
  })
  const someZone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata')
  const someJitter = fc.constantFrom(0, 60_000, 3_600_000)

  test('the next run is after the given time, no run lies between, and jitter moves all runs equally', () => {
    const arbitraries = [someWhen, someZone, someJitter, someTime, fc.nat(1_000_000)] as const
    fc.assert(
      fc.property(...arbitraries, (when, zone, jitterMs, at, step) => {
        const schedule = createSchedule(when, { zone, jitterMs })
        const next = nextRunOf(key, schedule, at as EpochMs)
        if (next === undefined) throw new Error('the schedule has no next run')
        expect(next).toBeGreaterThan(at)
        const timeBetween = (at + (step % (next - at))) as EpochMs
        expect(nextRunOf(key, schedule, timeBetween)).toBe(next)
        const offsetMs = jitterOf(key, jitterMs)
        const unmoved = nextRunOf(key, { ...schedule, jitterMs: 0 }, (at - offsetMs) as EpochMs)
        expect(next).toBe((unmoved ?? 0) + offsetMs)
      }),
    )
  })

  test('jitter is constant for a name, within its limit, and differs between names', () => {
    const jitterOfName = (name: string) => jitterOf({ ...key, name }, 3_600_000)
    expect(jitterOfName('a')).toBe(jitterOfName('a'))
    const all = Array.from({ length: 200 }, (_, index) => jitterOfName(`n${index}`))
    expect(Math.min(...all)).toBeLessThan(200_000)
    expect(Math.max(...all)).toBeGreaterThan(3_400_000)
    expect(Math.max(...all)).toBeLessThan(3_600_000)
    expect(jitterOf(key, 0)).toBe(0)
  })
})

describe('the verdict on a schedule', () => {
  const evaluate = (schedule: Schedule, now: string, isRunning = false) =>
    evaluateSchedule(key, schedule, { now: parseMs(now), isRunning })
  const nightly = createSchedule('0 4 * * *')

  test('a schedule waits for its first run, runs, and waits for the next', () => {
    const first = parseMs('2026-01-01T04:00:00Z')
    expect(evaluate(nightly, '2026-01-01T03:59:59Z')).toEqual({ kind: 'wait', dueAt: first })
    expect(evaluate(nightly, '2026-01-01T04:00:00Z')).toEqual({ kind: 'run', dueAt: first })
    const after = { ...nightly, lastAt: first }
    const second = parseMs('2026-01-02T04:00:00Z')
    expect(evaluate(after, '2026-01-01T04:00:01Z')).toEqual({ kind: 'wait', dueAt: second })
  })

  test('of several missed runs, only the last one is due, and only once', () => {
    const dueAt = parseMs('2026-09-10T04:00:00Z')
    expect(evaluate(nightly, '2026-09-10T17:00:00Z')).toEqual({ kind: 'run', dueAt })
    expect(evaluate({ ...nightly, lastAt: dueAt }, '2026-09-10T17:00:00Z').kind).toBe('wait')
    const minutely = evaluate(createSchedule('* * * * *'), '2031-01-01T00:00:30Z')
    expect(minutely).toEqual({ kind: 'run', dueAt: parseMs('2031-01-01T00:00:00Z') })
  })

  test('a run is skipped while its stack runs another deployment, unless the schedule runs only once', () => {
    const dueAt = parseMs('2026-01-01T04:00:00Z')
    expect(evaluate(nightly, '2026-01-01T04:00:10Z', true)).toEqual({ kind: 'skip', dueAt })
    const oneTime = createSchedule('at(2026-02-01T00:00:00)', { operation: { kind: 'destroy' } })
    expect(evaluate(oneTime, '2026-02-01T00:00:00Z', true)).toEqual({
      kind: 'run',
      dueAt: parseMs('2026-02-01T00:00:00Z'),
    })
    expect(evaluate(oneTime, '2026-02-01T00:01:00Z').kind).toBe('run')
  })

  test('a paused schedule runs nothing, and the runs that it missed are not due afterwards', () => {
    const paused = { ...nightly, isPaused: true }
    expect(evaluate(paused, '2026-05-01T04:00:00Z')).toEqual({ kind: 'paused' })
    // The API stores a changed schedule with the time of the change as its last run.
    const resumeAt = (schedule: typeof paused, at: string) => ({
      ...schedule,
      isPaused: false,
      lastAt: parseMs(at),
    })
    const resumed = resumeAt(paused, '2026-05-01T05:00:00Z')
    expect(evaluate(resumed, '2026-05-01T05:00:01Z')).toEqual({
      kind: 'wait',
      dueAt: parseMs('2026-05-02T04:00:00Z'),
    })
    const oneTime = { ...createSchedule('at(2026-02-01T00:00:00)'), isPaused: true }
    expect(evaluate(resumeAt(oneTime, '2026-03-01T00:00:00Z'), '2026-03-01T00:00:01Z').kind).toBe(
      'over',
    )
  })

  test('a one-time destroy is over after its run', () => {
    const oneTime = createSchedule('at(2026-02-01T00:00:00)', { operation: { kind: 'destroy' } })
    const verdict = evaluate(oneTime, '2026-02-01T09:00:00Z')
    expect(verdict).toEqual({ kind: 'run', dueAt: parseMs('2026-02-01T00:00:00Z') })
    const ran = { ...oneTime, lastAt: parseMs('2026-02-01T00:00:00Z') }
    expect(evaluate(ran, '2026-02-01T09:00:00Z')).toEqual({ kind: 'over' })
  })
})

describe('EventBridge Scheduler', () => {
  test.each<[string, string]>([
    ['0 4 * * *', 'cron(0 4 * * ? *)'],
    ['* * * * *', 'cron(* * * * ? *)'],
    ['*/15 9-17 * * *', 'cron(0,15,30,45 9-17 * * ? *)'],
    ['0 4 * * 0', 'cron(0 4 ? * 1 *)'],
    ['0 4 * * 7', 'cron(0 4 ? * 1 *)'],
    ['0 4 * * 1-5', 'cron(0 4 ? * 2-6 *)'],
    ['0 4 * * MON-FRI', 'cron(0 4 ? * 2-6 *)'],
    ['0 4 * * 5-7', 'cron(0 4 ? * 1,6,7 *)'],
    ['0 4 * * 0-6', 'cron(0 4 ? * * *)'],
    ['0 4 1,15 * *', 'cron(0 4 1,15 * ? *)'],
    ['0 4 31 1-3,12 *', 'cron(0 4 31 1-3,12 ? *)'],
    ['0 4 1 JAN *', 'cron(0 4 1 1 ? *)'],
    ['rate(5 minutes)', 'rate(5 minutes)'],
    ['rate(1 minutes)', 'rate(1 minute)'],
    ['rate(1 hour)', 'rate(1 hour)'],
    ['rate(3 day)', 'rate(3 days)'],
    ['at(2027-01-31T04:00:00)', 'at(2027-01-31T04:00:00)'],
  ])('%s is converted to %s', (when, expression) => {
    expect(
      schedulerExpressionOf(createSchedule(when), parseMs('2026-01-01T00:00:00Z')).expression,
    ).toBe(expression)
  })

  test.each(['0 4 1 * 1', '0 4 1-31 * 1', '0 4 */2 * 1-5'])(
    '%s, with a day of the month and one of the week, is not supported by EventBridge Scheduler',
    when => {
      const convertSchedule = () =>
        schedulerExpressionOf(createSchedule(when), parseMs('2026-01-01T00:00:00Z'))
      expect(convertSchedule).toThrow(expect.objectContaining(invalid))
      expect(nextRunOf(key, createSchedule(when), parseMs('2026-01-01T00:00:00Z'))).toBeDefined()
    },
  )

  test('zone, start time of a rate and window are separate fields', () => {
    const overrides = { zone: 'Europe/Berlin', jitterMs: 90_000 }
    const everyFiveMinutes = createSchedule('rate(5 minutes)', overrides)
    expect(schedulerExpressionOf(everyFiveMinutes, parseMs('2026-03-01T00:07:30Z'))).toEqual({
      expression: 'rate(5 minutes)',
      zone: 'Europe/Berlin',
      startAt: parseMs('2026-03-01T00:10:00Z'),
      windowMinutes: 2,
    })
    expect(
      schedulerExpressionOf(createSchedule('0 4 * * *'), parseMs('2026-03-01T00:00:00Z')),
    ).toEqual({
      expression: 'cron(0 4 * * ? *)',
      zone: 'UTC',
    })
  })

  const arbitraryField = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: 2, max: 6 }).map(step => `*/${step}`),
      fc
        .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 12 })
        .map(values => values.join(',')),
      fc
        .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    )

  test('a converted expression has the times of its schedule, and at most 256 characters', () => {
    const days = fc.oneof(
      fc.tuple(arbitraryField(1, 28), fc.constant('*')),
      fc.tuple(fc.constant('*'), arbitraryField(0, 6)),
    )
    fc.assert(
      fc.property(
        arbitraryField(0, 59),
        arbitraryField(0, 23),
        days,
        arbitraryField(1, 12),
        (minute, hour, [day, week], month) => {
          const when = `${minute} ${hour} ${day} ${month} ${week}`
          const { expression } = schedulerExpressionOf(
            createSchedule(when),
            parseMs('2026-01-01T00:00:00Z'),
          )
          expect(expression.length).toBeLessThanOrEqual(256)
          const fields = /^cron\((.*) \*\)$/.exec(expression)?.[1] ?? ''
          expect(fields.split(' ').filter(field => field === '?')).toHaveLength(1)
          // An independent parser reads the converted expression with the weekday numbers of
          // Quartz, in which Sunday is 1.
          const options = { timezone: 'UTC', paused: true, alternativeWeekdays: true }
          const from = new Date('2026-01-01T00:00:00Z')
          const convertedTimes = new Cron(fields.replace('?', '*'), options).nextRuns(5, from)
          const expectedTimes = new Cron(when, { timezone: 'UTC', paused: true }).nextRuns(5, from)
          expect(convertedTimes).toEqual(expectedTimes)
        },
      ),
      { numRuns: 300 },
    )
  })
})
