import { afterEach, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { ScheduledCalls, SchedulerPort } from '../../shared/ports/scheduler.ts'
import type { DocumentKey } from '../../shared/ports/documents.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'
import { callApiInProcess } from './call-in-process.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'

let api: TestApi | undefined
afterEach(async () => {
  await api?.close()
  api = undefined
})

const path = `${shopPath}/schedules/nightly`
const key: DocumentKey = { kind: 'schedule', scope: shop, name: 'nightly' }
const draft = { when: '0 3 * * *', zone: 'Europe/Berlin', operation: { kind: 'refresh' } }

/** Creates a scheduler that stores calls by name. Its requests throw `state.failure`, if it is set. */
function createMemoryScheduler() {
  const calls = new Map<string, ScheduledCalls>()
  const state = { failure: undefined as Error | undefined }
  const scheduler: SchedulerPort = {
    place: async one => {
      if (state.failure !== undefined) throw state.failure
      calls.set(one.name, one)
    },
    remove: async name => {
      if (state.failure !== undefined) throw state.failure
      calls.delete(name)
    },
  }
  return { calls, state, scheduler }
}

async function openWithScheduler() {
  api = await openTestApi()
  const memory = createMemoryScheduler()
  const { platform } = api
  const ports: ApiPorts = {
    ...platform,
    scheduler: memory.scheduler,
    execute: 'functions',
    addresses: {},
    outbound: createOutbound(),
  }
  const put = (more: object = {}, others: Partial<ApiPorts> = {}) =>
    callApiInProcess({ ...ports, ...others }, 'ann', {
      method: 'PUT',
      path,
      body: { ...draft, ...more },
    })
  const readPlacedName = async (): Promise<string | undefined> =>
    ((await platform.documents.get(key))?.value as { placed?: string } | undefined)?.placed
  return { ...memory, platform, ports, put, readPlacedName }
}

test('after every change of a schedule, its calls are those that its document names', async () => {
  const { calls, put, readPlacedName, ports } = await openWithScheduler()
  const reply = await put()
  expect(JSON.stringify(reply)).not.toContain('placed')
  expect([...calls.values()]).toMatchObject([
    { key, times: { expression: 'cron(0 3 * * ? *)', zone: 'Europe/Berlin' } },
  ])
  const first = await readPlacedName()
  expect([...calls.keys()]).toEqual([first])
  expect(first).toMatch(/^[\w-]{1,64}$/)
  await put({ when: 'rate(1 day)', jitterMs: 600_000 })
  expect([...calls.keys()]).toEqual([await readPlacedName()])
  expect(await readPlacedName()).not.toBe(first)
  expect([...calls.values()]).toMatchObject([
    { times: { expression: 'rate(1 day)', windowMinutes: 10 } },
  ])
  await put({ isPaused: true })
  expect([calls.size, await readPlacedName()]).toEqual([0, undefined])
  await put()
  expect([...calls.keys()]).toEqual([await readPlacedName()])
  await callApiInProcess(ports, 'ann', { method: 'DELETE', path })
  expect(calls.size).toBe(0)
})

test('a schedule whose only time has passed is refused, and the previous schedule is kept', async () => {
  const { calls, put, readPlacedName } = await openWithScheduler()
  await put()
  const before = await readPlacedName()
  const late = put({ when: 'at(2020-01-01T00:00:00)' })
  await expect(late).rejects.toMatchObject({
    code: 'SCHEDULE_INVALID',
    message: expect.stringContaining("'at(2020-01-01T00:00:00)' in the time zone Europe/Berlin"),
  })
  expect([[...calls.keys()], await readPlacedName()]).toEqual([[before], before])
})

test('a schedule that the scheduler cannot express is refused, and nothing of it is stored', async () => {
  const { calls, put, readPlacedName } = await openWithScheduler()
  await expect(put({ when: '0 4 1 * 1' })).rejects.toMatchObject({ code: 'SCHEDULE_INVALID' })
  expect([calls.size, await readPlacedName()]).toEqual([0, undefined])
})

test('a crash at any point leaves a schedule with all its calls, and perhaps superfluous ones', async () => {
  const { calls, state, put, readPlacedName, platform } = await openWithScheduler()
  // Before the document is stored: calls without a document.
  const failingDocuments = { ...platform.documents, put: () => Promise.reject(new Error('dead')) }
  await expect(put({}, { documents: failingDocuments })).rejects.toThrow('dead')
  expect([calls.size, await readPlacedName()]).toEqual([1, undefined])
  await put()
  expect(calls.has((await readPlacedName()) ?? '')).toBe(true)
  // During a change, such a crash leaves the schedule and its calls unchanged.
  const before = await readPlacedName()
  await expect(put({ when: 'rate(1 hour)' }, { documents: failingDocuments })).rejects.toThrow(
    'dead',
  )
  expect([await readPlacedName(), calls.has(before ?? '')]).toEqual([before, true])
  // After the document is stored: the old calls remain, and the new ones exist.
  const { place } = createMemoryPlacer(calls)
  const scheduler = { place, remove: () => Promise.reject(new Error('dead')) }
  await put({ when: 'rate(2 hours)' }, { scheduler })
  expect(calls.has((await readPlacedName()) ?? '')).toBe(true)
  // When calls cannot be placed, nothing changes.
  state.failure = new Error('no scheduler')
  const placedBefore = await readPlacedName()
  await expect(put({ when: 'rate(3 hours)' })).rejects.toThrow('no scheduler')
  expect(await readPlacedName()).toBe(placedBefore)
})

function createMemoryPlacer(calls: Map<string, ScheduledCalls>): Pick<SchedulerPort, 'place'> {
  return { place: async one => void calls.set(one.name, one) }
}

test('of two concurrent changes, the refused one leaves no calls behind', async () => {
  const { calls, put, readPlacedName, platform } = await openWithScheduler()
  await put()
  const racingDocuments = {
    ...platform.documents,
    put: async (...args: Parameters<typeof platform.documents.put>) => {
      await put({ when: 'rate(1 hour)' })
      return platform.documents.put(...args)
    },
  }
  await expect(
    put({ when: 'rate(2 hours)' }, { documents: racingDocuments }),
  ).rejects.toMatchObject({
    code: 'DOCUMENT_CHANGED',
  })
  expect([...calls.keys()]).toEqual([await readPlacedName()])
  expect([...calls.values()]).toMatchObject([{ times: { expression: 'rate(1 hour)' } }])
})

test('removing a stack also removes its schedules, their calls and its notifications', async () => {
  const { calls, put, platform, ports } = await openWithScheduler()
  await put()
  const body = { url: 'https://example.com/x', events: ['failed'], secret: 'a secret of enough' }
  for (const notificationPath of ['/v1/notifications/all', `${shopPath}/notifications/mine`])
    await callApiInProcess(ports, 'ann', { method: 'PUT', path: notificationPath, body })
  await callApiInProcess(ports, 'ann', { method: 'DELETE', path: shopPath })
  expect(calls.size).toBe(0)
  expect((await platform.documents.list('schedule', '')).documents).toEqual([])
  const remaining = (await platform.documents.list('notification', '')).documents
  expect(remaining.map(({ key: { name } }) => name)).toEqual(['all'])
})

test('a schedule whose only time has passed can be stored only as a paused one', async () => {
  const { put, ports } = await openWithScheduler()
  const passed = { when: 'at(2020-01-01T00:00:00)', jitterMs: 0 }
  await expect(put(passed)).rejects.toMatchObject({ code: 'SCHEDULE_INVALID' })
  expect(await put({ ...passed, isPaused: true })).toMatchObject({ value: { isPaused: true } })
  await expect(put({ when: 'no time', isPaused: true })).rejects.toMatchObject({
    code: 'SCHEDULE_INVALID',
  })
  expect(await callApiInProcess(ports, 'ann', { method: 'GET', path })).toMatchObject({
    value: { isPaused: true, when: passed.when },
  })
})

test('a rename places the calls of the schedules for the new name, and its request names them', async () => {
  const { calls, put, platform, ports } = await openWithScheduler()
  await put()
  await put({ isPaused: true }, {})
  await callApiInProcess(ports, 'ann', {
    method: 'PUT',
    path: `${shopPath}/schedules/hourly`,
    body: { ...draft, when: 'rate(1 hour)' },
  })
  const before = new Set(calls.keys())
  await callApiInProcess(ports, 'ann', {
    method: 'POST',
    path: `${shopPath}/rename`,
    body: { project: 'mall', stack: 'prod' },
  })
  const placed = [...calls.values()].filter(({ name }) => !before.has(name))
  const newKey = { kind: 'schedule', scope: 'organization/mall/prod', name: 'hourly' }
  expect(placed).toMatchObject([{ key: newKey, times: { expression: 'rate(1 hour)' } }])
  const [request] = await platform.requests.listWaiting(shop, 1)
  expect(request).toMatchObject({ edit: { placements: { hourly: placed[0]?.name } } })
})

test('a rename places the calls of all schedules, over pages of documents', async () => {
  const { platform, ports } = await openWithScheduler()
  const names = Array.from(
    { length: triggerLimits.documentsPerPage + 1 },
    (_, index) => `n${index}`,
  )
  for (const name of names)
    await callApiInProcess(ports, 'ann', {
      method: 'PUT',
      path: `${shopPath}/schedules/${name}`,
      body: draft,
    })
  await callApiInProcess(ports, 'ann', {
    method: 'POST',
    path: `${shopPath}/rename`,
    body: { project: 'mall', stack: 'prod' },
  })
  const [request] = await platform.requests.listWaiting(shop, 1)
  const edit = request !== undefined && 'edit' in request ? request.edit : undefined
  const placements = edit?.kind === 'rename stack' ? edit.placements : undefined
  expect(Object.keys(placements ?? {}).toSorted()).toEqual(names.toSorted())
})
