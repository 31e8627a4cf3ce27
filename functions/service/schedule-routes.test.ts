import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EpochMs } from '../../shared/records/ids.ts'
import { deploymentIdOf } from '../../shared/records/ids.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import {
  createRemedyRequest,
  createScheduleRequest,
} from '../../shared/triggers/trigger-requests.ts'
import { shop } from '../api/api.fixture.ts'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

const schedules = `${shopService}/deployments/schedules`
const driftSchedules = `${shopService}/deployments/drift/schedules`
const ttlSchedules = `${shopService}/deployments/ttl/schedules`

let service: TestService
let deploy = ''

beforeEach(async () => {
  service = await openTestService()
  deploy = `token ${await service.issueToken('deploy')}`
})

afterEach(() => service.close())

const post = (path: string, body: object, token = deploy) =>
  service.call(token, `POST ${path}`, body)

/** Returns the body for a schedule of the kind `raw`. */
const raw = (operation: string, fields: object = { scheduleCron: '0 4 * * *' }) => ({
  ...fields,
  request: { operation, inheritSettings: true },
})

async function create(path: string, body: object): Promise<Record<string, unknown>> {
  const { status, json } = await post(path, body)
  expect([status, json]).toEqual([200, expect.anything()])
  return json
}

async function listNames(): Promise<readonly string[]> {
  const { documents } = await service.platform.documents.list('schedule', '', shop)
  return documents.map(({ key }) => key.name)
}

async function readOperation(name: unknown): Promise<unknown> {
  const key = { kind: 'schedule', scope: shop, name: String(name) } as const
  return scheduleDocument.parse((await service.platform.documents.get(key))?.value).operation
}

describe('a schedule of a client', () => {
  const operations = [
    ['update', { kind: 'up' }],
    ['preview', { kind: 'preview' }],
    ['destroy', { kind: 'destroy' }],
    ['refresh', { kind: 'refresh', remediate: false, record: true }],
    ['detect-drift', { kind: 'refresh', remediate: false }],
  ] as const

  test.each(operations)(
    'of %s is stored as a schedule of Antichain',
    async (operation, expected) => {
      const view = await create(schedules, raw(operation))
      expect(view).toMatchObject({
        kind: 'deployment',
        paused: false,
        scheduleCron: '0 4 * * *',
        lastExecuted: null,
        nextExecution: expect.stringMatching(/^\d{4}-\d\d-\d\d 04:00:00\.000$/) as string,
        definition: { request: { operation, inheritSettings: true } },
      })
      expect(await readOperation(view['id'])).toEqual(expected)
      const { json } = await service.call(deploy, `GET ${schedules}`)
      expect(json).toEqual({ schedules: [view] })
    },
  )

  test('that runs once has its time in UTC, and is of the kind ttl if it destroys', async () => {
    const once = '2099-01-31T04:00:00.5+02:00'
    const update = await create(schedules, raw('update', { scheduleOnce: once }))
    expect(update).toMatchObject({ scheduleOnce: '2099-01-31 02:00:00.000' })
    const ttl = await create(ttlSchedules, { timestamp: once, deleteAfterDestroy: false })
    const context = { options: { deleteAfterDestroy: false } }
    expect(ttl).toMatchObject({
      scheduleOnce: '2099-01-31 02:00:00.000',
      definition: { request: { operation: 'destroy', operationContext: context } },
    })
    const destroy = await create(schedules, raw('destroy'))
    expect(destroy['definition']).not.toHaveProperty(['request', 'operationContext'])
  })

  test('of the kind ttl removes its stack only for an administrator', async () => {
    const body = { timestamp: '2099-01-31T04:00:00Z', deleteAfterDestroy: true }
    const refused = await post(ttlSchedules, body)
    expect([refused.status, refused.json['message']]).toEqual([
      403,
      expect.stringContaining("the field 'deleteAfterDestroy' requires the role admin") as string,
    ])
    const admin = `token ${await service.issueToken('admin')}`
    const { status, json } = await post(ttlSchedules, body, admin)
    const operationContext = { options: { deleteAfterDestroy: true } }
    expect([status, json['definition']]).toMatchObject([200, { request: { operationContext } }])
    const key = { kind: 'schedule', scope: shop, name: String(json['id']) } as const
    expect((await service.platform.documents.get(key))?.value).toMatchObject({ removesStack: true })
  })

  test('that detects drift can remedy it', async () => {
    const view = await create(driftSchedules, { scheduleCron: '0 * * * *', autoRemediate: true })
    const options = { remediateIfDriftDetected: true }
    expect(view).toMatchObject({
      definition: { request: { operation: 'detect-drift', operationContext: { options } } },
    })
    expect(await readOperation(view['id'])).toEqual({ kind: 'refresh', remediate: true })
  })

  test('can be removed or changed, and a change keeps the pause, the jitter, and the zone of an unchanged time', async () => {
    const value = { when: '0 4 * * *', zone: 'Europe/Berlin', operation: { kind: 'up' } }
    const key = { kind: 'schedule', scope: shop, name: 'ours' } as const
    const stored = { ...value, isPaused: true, jitterMs: 5_000, createdAt: 0 }
    await service.platform.documents.put(key, stored, 0)
    const path = `${schedules}/ours`
    const { json: before } = await service.call(deploy, `GET ${path}`)
    expect(before).toMatchObject({ paused: true, scheduleCron: '0 4 * * * Europe/Berlin' })
    const kept = { scheduleCron: before['scheduleCron'] } as object
    expect((await post(path, raw('destroy', kept))).status).toBe(200)
    const changed = (await service.platform.documents.get(key))?.value
    expect(changed).toMatchObject({ ...stored, operation: { kind: 'destroy' } })
    expect((await post(path, raw('update'))).json).toMatchObject({ scheduleCron: '0 4 * * *' })
    expect((await service.call(deploy, `DELETE ${path}`)).status).toBe(200)
    for (const method of ['GET', 'DELETE'])
      expect((await service.call(deploy, `${method} ${path}`)).status).toBe(404)
    expect((await post(path, raw('update'))).status).toBe(404)
    expect(await listNames()).toEqual([])
  })

  test('is not changed through the path of another kind', async () => {
    const { id } = await create(schedules, raw('update'))
    for (const path of [driftSchedules, ttlSchedules]) {
      const { status, json } = await post(`${path}/${String(id)}`, { scheduleCron: '1 * * * *' })
      expect([status, json['message']]).toEqual([
        400,
        expect.stringContaining('is of the kind raw') as string,
      ])
    }
  })

  const badRequests = [
    [schedules, raw('update', {}), 'either scheduleCron or scheduleOnce'],
    [
      schedules,
      raw('update', { scheduleCron: '* * * * *', scheduleOnce: '2099-01-01T00:00:00Z' }),
      'either',
    ],
    [schedules, raw('update', { scheduleCron: 'rate(5 minutes)' }), 'five fields'],
    [schedules, raw('update', { scheduleCron: '99 * * * *' }), 'not a valid cron expression'],
    [schedules, raw('update', { scheduleOnce: '2001-01-01T00:00:00Z' }), 'would never run'],
    [schedules, raw('update', { scheduleOnce: 'tomorrow' }), 'is not a time'],
    [schedules, raw('update', { scheduleOnce: '2099-02-31T00:00:00Z' }), 'is not a'],
    [schedules, raw('remediate-drift'), "do not support 'remediate-drift'"],
    [schedules, raw('up'), 'operation'],
    [schedules, { scheduleCron: '* * * * *' }, 'request'],
    [
      schedules,
      { ...raw('update'), request: { operation: 'update', agentPoolID: 'x' } },
      "'agentPoolID'",
    ],
    [driftSchedules, { scheduleCron: '* * * * *', more: 1 }, "'more'"],
    [driftSchedules, { autoRemediate: true }, 'either'],
  ] as const

  test('in a bad request is refused, and is not stored', async () => {
    for (const [path, body, message] of badRequests) {
      const { status, json } = await post(path, body)
      const expected = [400, 400, expect.stringContaining(message) as string]
      expect([status, json['code'], json['message']]).toEqual(expected)
    }
    expect(await listNames()).toEqual([])
  })

  test('needs the role deploy and an existing stack, and is unknown in another stack', async () => {
    const reader = `token ${await service.issueToken('preview')}`
    expect((await post(schedules, raw('update'), reader)).status).toBe(403)
    const other = '/api/stacks/organization/shop/missing/deployments/schedules'
    expect((await post(other, raw('update'))).status).toBe(404)
    expect((await service.call(deploy, `GET ${other}`)).status).toBe(404)
    const { id } = await create(schedules, raw('update'))
    expect((await service.call(reader, `GET ${schedules}/${String(id)}`)).status).toBe(200)
    expect((await service.call(reader, `DELETE ${schedules}/${String(id)}`)).status).toBe(403)
    for (const method of ['GET', 'DELETE'])
      expect((await service.call(deploy, `${method} ${other}/${String(id)}`)).status).toBe(404)
    expect(await listNames()).toHaveLength(1)
  })
})

describe('the drift of a stack', () => {
  const readStatus = async () =>
    (await service.call(deploy, `GET ${shopService}/drift/status`)).json
  const readRuns = async () => (await service.call(deploy, `GET ${shopService}/drift/runs`)).json

  test('is unknown before a run', async () => {
    expect(await readStatus()).toEqual({
      driftDetected: false,
      latestDriftRun: '',
      runInProgress: false,
    })
    expect(await readRuns()).toEqual({ driftRuns: [], itemsPerPage: 10, total: 0 })
  })

  test('comes from the newest runs of schedules, with their remedies', async () => {
    const { platform } = service
    const due = (Math.floor(platform.clock.now() / 60_000) * 60_000) as EpochMs
    const schedule = scheduleDocument.parse({
      when: '* * * * *',
      operation: { kind: 'refresh', remediate: true },
      createdAt: due - 600_000,
      lastAt: due,
      recentRuns: [due],
    })
    const key = { kind: 'schedule', scope: shop, name: 'hourly' } as const
    await platform.documents.put(key, schedule, 0)
    const context = { requestedAt: due, execute: 'here' } as const
    const run = { stack: shop, name: 'hourly', schedule, due }
    const request = createScheduleRequest(run, context)
    await platform.requests.put(request)
    expect(await readStatus()).toMatchObject({ latestDriftRun: '', runInProgress: true })
    const changes = { same: 2, update: 1 }
    const end = { kind: 'previewed', result: 'succeeded', changes, errors: [] } as const
    await platform.requests.end(shop, request.key, end)
    expect(await readStatus()).toEqual({
      driftDetected: true,
      latestDriftRun: `hourly-${due}`,
      runInProgress: false,
    })
    const remedy = createRemedyRequest(request, due)
    await platform.requests.put(remedy)
    const deployment = deploymentIdOf(shop, 1)
    await platform.requests.end(shop, remedy.key, { kind: 'started', deployment })
    expect(await readRuns()).toMatchObject({
      total: 1,
      driftRuns: [
        {
          id: `hourly-${due}`,
          driftDetected: true,
          status: 'succeeded',
          detectUpdate: { resourceChanges: changes },
          remediateUpdate: { updateId: 'deployment-1' },
        },
      ],
    })
  })

  test('comes from deployments that detect drift', async () => {
    const { platform } = service
    await platform.requests.putProgram(shop, 'a'.repeat(64) as never)
    await post(`${shopService}/deployments`, { operation: 'detect-drift' })
    const [request] = await platform.requests.listWaiting(shop, 1)
    expect(await readStatus()).toMatchObject({ runInProgress: true })
    const end = {
      kind: 'previewed',
      result: 'succeeded',
      changes: { same: 2 },
      errors: [],
    } as const
    await platform.requests.end(shop, request?.key ?? '', end)
    expect(await readStatus()).toEqual({
      driftDetected: false,
      latestDriftRun: 'dep-1',
      runInProgress: false,
    })
    expect(await readRuns()).toMatchObject({
      driftRuns: [{ id: 'dep-1', deploymentId: 'dep-1', deploymentVersion: 1 }],
    })
  })
})
