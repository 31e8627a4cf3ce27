/**
 * Schedules in the emulator of EventBridge Scheduler, and the local scheduler that invokes their
 * targets.
 */
import {
  CreateScheduleGroupCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScheduler } from '../../infra/local-cloud/scheduler-emulator.ts'
import { findNextTime } from '../../infra/local-cloud/scheduler-times.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import { createScheduler, createSchedulerClient } from '../../shared/platform/aws/scheduler.ts'
import type { ScheduledCalls, SchedulerPort } from '../../shared/ports/scheduler.ts'
import { type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

const role = 'arn:aws:iam::000000000000:role/schedules'
const target = 'arn:aws:lambda:us-east-1:000000000000:function:schedule'

describeWithServices('EventBridge Scheduler', ['SCHEDULER'], settings => {
  const group = `g-${randomUUID()}`
  let client: SchedulerClient
  let scheduler: SchedulerPort

  beforeAll(async () => {
    client = createSchedulerClient(settings())
    await client.send(new CreateScheduleGroupCommand({ Name: group }))
    scheduler = createScheduler(client, { group, role, target })
  })
  afterAll(() => client?.destroy())

  const createCalls = (
    expression: string,
    times: Partial<ScheduledCalls['times']> = {},
  ): ScheduledCalls => ({
    name: `schedule-${randomUUID()}`,
    key: { kind: 'schedule', scope: stackIdOf('shop', 'prod'), name: 'nightly' },
    times: { expression, zone: 'Europe/Berlin', ...times },
    placedAt: Date.now() as EpochMs,
  })
  const findSchedule = (name: string) =>
    client.send(new GetScheduleCommand({ Name: name, GroupName: group }))

  describe('the port', () => {
    test('creates schedules with times, window and payload, and repetitions change nothing', async () => {
      const startAt = (Math.ceil(Date.now() / 60_000) * 60_000) as EpochMs
      const placed = createCalls('rate(5 minutes)', { startAt, windowMinutes: 10 })
      await scheduler.place(placed)
      await scheduler.place(placed)
      const { name, placedAt } = placed
      const existing = await findSchedule(name)
      expect(existing).toMatchObject({
        State: 'ENABLED',
        ScheduleExpression: 'rate(5 minutes)',
        ScheduleExpressionTimezone: 'Europe/Berlin',
        FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 10 },
        Target: { Arn: target, RoleArn: role },
      })
      expect(existing.StartDate?.getTime()).toBe(startAt)
      expect(JSON.parse(existing.Target?.Input ?? '')).toEqual({
        kind: 'schedule',
        scope: 'organization/shop/prod',
        name: 'nightly',
        placed: name,
        placedAt,
      })
    })

    test('removes schedules, also missing ones', async () => {
      const placed = createCalls('cron(0 4 ? * 2-6 *)')
      await scheduler.place(placed)
      await scheduler.remove(placed.name)
      await scheduler.remove(placed.name)
      await expect(findSchedule(placed.name)).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
      })
    })

    // The emulator does not validate expressions, and crashes for a missing group. So a handler
    // simulates these errors.
    test.each([
      ['ValidationException', 400, 'SCHEDULE_INVALID'],
      ['ResourceNotFoundException', 404, 'STORE_MISSING'],
      ['AccessDeniedException', 403, 'STORE_DENIED'],
      ['ThrottlingException', 429, 'STORE_UNAVAILABLE'],
    ])('%s is reported with its error code', async (name, httpStatusCode, code) => {
      const thrown = Object.assign(new Error('no'), { name, $metadata: { httpStatusCode } })
      const wrapHandler: AwsSettings['wrapHandler'] = handler => ({
        ...handler,
        handle: () => Promise.reject(thrown),
      })
      const refusedClient = createSchedulerClient({ ...settings(), wrapHandler })
      const refusedScheduler = createScheduler(refusedClient, { group, role, target })
      await expect(refusedScheduler.place(createCalls('rate(1 day)'))).rejects.toMatchObject({
        code,
      })
      refusedClient.destroy()
    })
  })

  test('the local scheduler invokes a due schedule once, with its payload', async () => {
    const invocations: { arn: string; event: { name?: string; placed?: string } }[] = []
    const failures: string[] = []
    const localScheduler = startScheduler({
      client,
      group,
      invoke: async (arn, event) => {
        invocations.push({ arn, event: event as { name: string; placed: string } })
        return { kind: 'answered', json: 'null' }
      },
      onFailure: why => void failures.push(why),
    })
    try {
      const soon = new Date(Date.now() + 2_000).toISOString().slice(0, 19)
      const once = createCalls(`at(${soon})`, { zone: 'UTC' })
      const later = createCalls('rate(1 hour)', { startAt: (Date.now() + 3_600_000) as EpochMs })
      for (const calls of [once, later]) await scheduler.place(calls)
      await waitUntil(() => invocations.length > 0, { condition: 'a call' })
      expect(invocations).toMatchObject([
        { arn: target, event: { name: 'nightly', placed: once.name } },
      ])
      const isGone = async (): Promise<boolean> => {
        const { Schedules = [] } = await client.send(new ListSchedulesCommand({ GroupName: group }))
        return !Schedules.some(({ Name }) => Name === once.name)
      }
      await waitUntil(isGone, { condition: 'the removal of the completed schedule' })
      expect(failures).toEqual([])
    } finally {
      await localScheduler.end()
    }
  })

  test.each<[string, string, string, string | undefined]>([
    ['cron(0 4 ? * 2 *)', 'UTC', '2026-01-05T03:59:00Z', '2026-01-05T04:00:00Z'],
    ['cron(0 4 * * ? *)', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T02:00:00Z'],
    ['rate(5 minutes)', 'UTC', '2026-01-02T00:06:00Z', '2026-01-02T00:10:00Z'],
    ['at(2026-02-01T10:00:00)', 'UTC', '2026-01-01T00:00:00Z', '2026-02-01T10:00:00Z'],
    ['at(2026-02-01T10:00:00)', 'UTC', '2026-02-01T10:00:00Z', undefined],
    ['cron(0 4 L * ? 2027)', 'UTC', '2026-02-01T10:00:00Z', undefined],
  ])('the next time of %s in %s after %s is %s', (expression, zone, after, next) => {
    const times = { expression, zone, createdAt: Date.parse('2026-01-01T00:00:00Z') }
    const nextMs = findNextTime(times, Date.parse(after))
    expect(nextMs === undefined ? undefined : new Date(nextMs).toISOString()).toBe(
      next?.replace('Z', '.000Z'),
    )
  })
})
