import { afterEach, beforeEach, expect, test } from 'vitest'
import { runDueSchedule } from '../../functions/schedule/run-due-schedule.ts'
import { removeExpiredStack } from '../../functions/step-generator/remove-expired-stack.ts'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { createCloud } from './cloud.ts'
import { createThings } from './register-thing.ts'
import { openFunctions, type TestFunctions } from './test-functions.ts'

let functions: TestFunctions
beforeEach(async () => {
  functions = await openFunctions(createCloud(), createThings({ one: { v: 1 } }))
  await functions.requestDeployment('first')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
})
afterEach(() => functions.close())

const scheduleKey = () => ({ kind: 'schedule', scope: functions.stack, name: 'end' }) as const

/** Stores the schedule, whose only run is due, with further settings. */
async function putSchedule(settings: object): Promise<void> {
  const { documents } = functions.platform
  const version = (await documents.get(scheduleKey()))?.version ?? 0
  const at = new Date(Date.now() - 60_000).toISOString().slice(0, 19)
  const fields = { when: `at(${at})`, operation: { kind: 'destroy' } }
  const createdAt = Date.now() - 3_600_000
  await documents.put(
    scheduleKey(),
    scheduleDocument.parse({ ...fields, createdAt, ...settings }),
    version,
  )
}

/** Runs the due schedule, and its destroy to the end. */
async function runSchedule(): Promise<void> {
  const { platform, nudges } = functions
  const server = {
    ...platform,
    execute: 'functions',
    nudges: { nudge: async (stack, delayMs) => void nudges.push({ stack, delayMs }) },
  } satisfies Parameters<typeof runDueSchedule>[0]
  expect(await runDueSchedule(server, scheduleKey())).toBe('run')
  await functions.runToIdle()
  expect([...functions.cloud.objects.keys()]).toEqual([])
}

/** Removes the stack if it has expired, a time in ms after now. */
async function removeIfExpired(afterMs: number) {
  const { platform, stack } = functions
  const now = () => (platform.clock.now() + afterMs) as EpochMs
  const [lastDeployment] = await platform.catalog.listHistory(stack, 1)
  return removeExpiredStack(
    { platform: { ...platform, clock: { ...platform.clock, now } }, notifier: platform },
    lastDeployment,
  )
}

const { stackRemovalDelayMs: delayMs } = triggerLimits

test('a generator sends a nudge for the removal, which removes the stack with its schedule', async () => {
  const { platform, stack, nudges } = functions
  await putSchedule({ removesStack: true })
  await runSchedule()
  expect(nudges).toEqual([])
  await functions.generate()
  const [nudge] = nudges
  expect(nudge?.delayMs).toBeGreaterThan(0)
  expect(nudge?.delayMs).toBeLessThanOrEqual(delayMs)
  expect(await removeIfExpired(0)).toMatchObject({ kind: 'waiting' })
  expect(await removeIfExpired(delayMs)).toEqual({ kind: 'removed' })
  expect(await platform.catalog.getStack(stack)).toBeUndefined()
  expect(await platform.documents.get(scheduleKey())).toBeUndefined()
  expect(await functions.generate(nudge)).toBe('idle')
})

for (const [name, settings] of Object.entries({
  'does not remove its stack': {},
  'was paused since its run': { removesStack: true, isPaused: true },
  'was changed to another operation': { removesStack: true, operation: { kind: 'up' } },
}))
  test(`a stack stays if its schedule ${name}`, async () => {
    await putSchedule({ removesStack: true })
    await runSchedule()
    await putSchedule(settings)
    expect(await removeIfExpired(delayMs)).toEqual({ kind: 'kept' })
  })

test('a stack stays while a request waits, and after a later deployment', async () => {
  await putSchedule({ removesStack: true })
  await runSchedule()
  await functions.requestDeployment('again')
  expect(await removeIfExpired(delayMs)).toEqual({ kind: 'kept' })
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  expect(await removeIfExpired(delayMs)).toEqual({ kind: 'kept' })
  expect([...functions.cloud.objects.keys()]).toHaveLength(1)
})
