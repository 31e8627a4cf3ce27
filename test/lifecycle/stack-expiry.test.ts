import { afterEach, beforeEach, expect, test } from 'vitest'
import { runDueSchedule } from '../../functions/schedule/run-due-schedule.ts'
import { removeExpiredStack } from '../../functions/step-generator/remove-expired-stack.ts'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { approvalRuleKeyOf } from '../../shared/runtime/approvals/approval-rule.ts'
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

/** Calls `removeExpiredStack` for the last deployment, with a clock that is ahead by `aheadMs`. */
async function removeExpired(aheadMs: number) {
  const { platform, stack } = functions
  const now = () => (platform.clock.now() + aheadMs) as EpochMs
  const [lastDeployment] = await platform.catalog.listHistory(stack, 1)
  return removeExpiredStack(
    { platform: { ...platform, clock: { ...platform.clock, now } }, notifier: platform },
    lastDeployment,
  )
}

/** Replaces the time of the removal that the generator has planned. */
async function replaceRemovalTime(removal: { readonly removalAt?: number }): Promise<void> {
  const { documents } = functions.platform
  const stored = await documents.get(scheduleKey())
  const { removalAt, ...schedule } = scheduleDocument.parse(stored?.value)
  expect(removalAt).toBeGreaterThan(Date.now())
  await documents.put(scheduleKey(), { ...schedule, ...removal }, stored?.version ?? 0)
}

const makeRemovalDue = (): Promise<void> => replaceRemovalTime({ removalAt: 1 })

const { stackRemovalDelayMs: delayMs } = triggerLimits
const kept = { kind: 'kept' }
const waiting = { kind: 'waiting', waitMs: delayMs }

test('generators plan the removal of a stack, and remove it with its documents when the removal is due', async () => {
  const { platform, stack, nudges } = functions
  await putSchedule({ removesStack: true })
  const notificationKey = { kind: 'notification', scope: stack, name: 'ops' } as const
  await platform.documents.put(notificationKey, { url: 'https://example.com', events: [] }, 0)
  await runSchedule()
  await functions.runGenerator()
  const [nudge] = nudges
  expect(nudge?.delayMs).toBeGreaterThan(0)
  expect(nudge?.delayMs).toBeLessThanOrEqual(delayMs)
  expect(await platform.documents.get(notificationKey)).toBeDefined()
  await makeRemovalDue()
  expect(await functions.runGenerator()).toBe('idle')
  expect(await platform.catalog.getStack(stack)).toBeUndefined()
  for (const key of [scheduleKey(), notificationKey])
    expect(await platform.documents.get(key)).toBeUndefined()
  expect(await functions.runGenerator()).toBe('idle')
})

test('the delay of a removal begins when the notifications were sent, not at the destroy', async () => {
  await putSchedule({ removesStack: true })
  await runSchedule()
  await replaceRemovalTime({})
  expect(await removeExpired(10 * delayMs)).toEqual(waiting)
  expect(await removeExpired(10 * delayMs)).toMatchObject({ kind: 'waiting' })
  expect(await removeExpired(11 * delayMs + 1_000)).toEqual({ kind: 'removed' })
})

test('nothing is removed while another process may still send the notifications', async () => {
  const { platform, stack, nudges } = functions
  await putSchedule({ removesStack: true })
  await runSchedule()
  const [lastDeployment] = await platform.catalog.listHistory(stack, 1)
  const taskId = `told ${lastDeployment?.deployment}`
  await platform.marks.unmark(`done ${taskId}`)
  const expiresAt = (platform.clock.now() + 60_000) as EpochMs
  await platform.marks.mark(`claim ${taskId}`, expiresAt)
  nudges.splice(0)
  await functions.runGenerator()
  expect(nudges).toEqual([{ stack, delayMs: triggerLimits.deliveryClaimMs }])
  expect(await platform.documents.get(scheduleKey())).toBeDefined()
})

test('the documents that a dead process has left are removed with the next nudge', async () => {
  const { platform, stack } = functions
  await putSchedule({ removesStack: true })
  await runSchedule()
  await platform.catalog.removeStack(stack)
  expect(await functions.runGenerator()).toBe('idle')
  expect(await platform.documents.get(scheduleKey())).toBeUndefined()
})

for (const [name, settings] of Object.entries({
  'does not remove its stack': {},
  'was paused since its run': { removesStack: true, isPaused: true },
  'was changed to another operation': { removesStack: true, operation: { kind: 'up' } },
  'was changed to a later time': { removesStack: true, when: 'at(2099-01-01T00:00:00)' },
  'is unreadable': { removesStack: true, unknown: 1 },
}))
  test(`a stack stays, and its requests are served, if its schedule ${name}`, async () => {
    await putSchedule({ removesStack: true })
    await runSchedule()
    await makeRemovalDue()
    const { documents } = functions.platform
    const stored = await documents.get(scheduleKey())
    const changed = { ...(stored?.value as object), removesStack: undefined, ...settings }
    await documents.put(scheduleKey(), JSON.parse(JSON.stringify(changed)), stored?.version ?? 0)
    expect(await removeExpired(delayMs)).toEqual(kept)
    await functions.requestDeployment('again')
    functions.nudges.push({ stack: functions.stack, delayMs: 0 })
    expect(await functions.runToIdle()).toContain('ended')
  })

test('a removal waits for a request, and a later deployment prevents it', async () => {
  await putSchedule({ removesStack: true })
  await runSchedule()
  await makeRemovalDue()
  await functions.requestDeployment('again')
  expect(await removeExpired(0)).toEqual(waiting)
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  expect(await removeExpired(0)).toEqual(kept)
  expect([...functions.cloud.objects.keys()]).toHaveLength(1)
})

test('a removal waits for the decision about a plan', async () => {
  const { platform, stack } = functions
  await putSchedule({ removesStack: true })
  await runSchedule()
  await makeRemovalDue()
  const rule = { commands: ['up'], expiresAfterHours: 1 }
  await platform.documents.put(approvalRuleKeyOf(stack), rule, 0)
  await functions.requestDeployment('again')
  functions.nudges.push({ stack, delayMs: 0 })
  await functions.runToIdle()
  expect(await removeExpired(0)).toEqual(waiting)
})

test('a deployment between the check and the removal keeps the stack', async () => {
  const { platform, stack } = functions
  await putSchedule({ removesStack: true })
  await runSchedule()
  await makeRemovalDue()
  const [lastDeployment] = await platform.catalog.listHistory(stack, 1)
  const removeStack: typeof platform.catalog.removeStack = async (...args) => {
    await functions.requestDeployment('again')
    functions.nudges.push({ stack, delayMs: 0 })
    await functions.runToIdle()
    return platform.catalog.removeStack(...args)
  }
  const racingPlatform = { ...platform, catalog: { ...platform.catalog, removeStack } }
  expect(
    await removeExpiredStack({ platform: racingPlatform, notifier: platform }, lastDeployment),
  ).toEqual(kept)
  expect(await platform.catalog.getStack(stack)).toBeDefined()
  expect(await platform.documents.get(scheduleKey())).toBeDefined()
})
