import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaseMs } from '../../shared/pulumi-service/client-update.ts'
import { entryOf, openTestService, shopService, type TestService } from './service.fixture.ts'

// Clients of other versions: with another number of the API, without gzip, and without a journal.

let service: TestService
let admin = ''
beforeEach(async () => {
  service = await openTestService()
  admin = `token ${await service.issueToken('admin')}`
})
afterEach(() => service.close())

type Headers = Readonly<Record<string, string>>

/** Sends JSON with these headers, packed if `content-encoding` is one of them. */
async function send(requestLine: string, headers: Headers, body?: unknown) {
  const [method = '', path = ''] = requestLine.split(' ')
  const text = body === undefined ? undefined : JSON.stringify(body)
  const { 'content-encoding': encoding, ...otherHeaders } = headers
  const isPacked = text !== undefined && encoding !== undefined
  const payload = isPacked ? gzipSync(text) : text
  const sentHeaders = isPacked ? headers : otherHeaders
  const init = { method, headers: sentHeaders, ...(payload === undefined ? {} : { body: payload }) }
  const response = await service.request(path, init)
  const json = (await response.json()) as Record<string, unknown>
  return { status: response.status, json, headers: response.headers }
}

const state = {
  urn: 'urn:pulumi:dev::shop::my:index:Group::a',
  custom: false,
  type: 'my:index:Group',
}

/**
 * Runs an update from its creation to its end with these headers in each call. Returns the statuses
 * of the calls.
 */
async function runUpdate(headers: Headers, journalVersion?: number): Promise<readonly number[]> {
  const user = { ...headers, authorization: admin }
  const created = await send(`POST ${shopService}/update`, user, {})
  const path = `${shopService}/update/${String(created.json['updateID'])}`
  const started = await send(`POST ${path}`, user, journalVersion ? { journalVersion } : {})
  expect(started.json['journalVersion']).toBe(journalVersion === undefined ? 0 : 1)
  const exported = await send(`GET ${shopService}/export`, user)
  expect(exported.json).toMatchObject({ version: 3 })
  const lease = { ...headers, authorization: `update-token ${String(started.json['token'])}` }
  const deployment = { manifest: {}, metadata: {}, resources: [state] }
  const saved =
    journalVersion === undefined
      ? await send(`PATCH ${path}/checkpoint`, lease, { version: 3, deployment })
      : await send(`PATCH ${path}/journalentries`, lease, {
          entries: [entryOf(1, 1, { operationID: 1, state })],
        })
  const renewed = await send(`POST ${path}/renew_lease`, lease, { token: '', duration: 300 })
  const ended = await send(`POST ${path}/complete`, lease, { status: 'succeeded' })
  const result = await send(`GET ${shopService}/export`, user)
  expect(result.json).toMatchObject({ deployment: { resources: [state] } })
  return [created, started, exported, saved, renewed, ended].map(({ status }) => status)
}

const success = [200, 200, 200, 200, 200, 200]

describe('a client', () => {
  const accepted = [3, 4, 5, 6, 7, 8, 9, 10, 99].map(number => `application/vnd.pulumi+${number}`)
  test.each([...accepted, '*/*', 'application/json', 'text/html;q=0.5', undefined])(
    'that accepts %s gets the current form of each reply',
    async accept => {
      const headers: Headers = accept === undefined ? {} : { accept }
      expect(await runUpdate(headers, 1)).toEqual(success)
      const stacks = await send('GET /api/user/stacks', { ...headers, authorization: admin })
      expect(stacks.json).toMatchObject({
        stacks: [{ orgName: 'organization', projectName: 'shop', stackName: 'dev' }],
        continuationToken: null,
      })
    },
  )

  const journalVersions = [undefined, 1, 2, 7].flatMap(version =>
    ['plain', 'packed'].map(form => [version, form] as const),
  )
  test.each(journalVersions)(
    'that speaks version %s of the journal runs an update with %s bodies',
    async (journalVersion, form) => {
      const headers: Headers = form === 'packed' ? { 'content-encoding': 'gzip' } : {}
      expect(await runUpdate(headers, journalVersion)).toEqual(success)
    },
  )

  test('that cannot unpack replies gets them as they are', async () => {
    for (const encoding of ['gzip', 'identity']) {
      const headers = { authorization: admin, 'accept-encoding': encoding }
      const exported = await send(`GET ${shopService}/export`, headers)
      expect(exported.headers.get('content-encoding')).toBeNull()
    }
  })

  test('with unknown fields and unknown headers is answered like any other', async () => {
    const headers = { authorization: admin, 'x-pulumi-future': '1', 'user-agent': 'pulumi-cli/9' }
    const options = { dryRun: false, later: { kept: [1] } }
    const created = await send(`POST ${shopService}/update`, headers, { options, later: true })
    const path = `${shopService}/update/${String(created.json['updateID'])}`
    const started = await send(`POST ${path}`, headers, { journalVersion: 1, later: {} })
    expect([created.status, started.status]).toEqual([200, 200])
  })
})

describe('a client with a wrong clock', () => {
  const second = 1_000
  // The defect: a lease whose end depends on a time that the client sends.
  test.each(['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT'])(
    'of %s has a lease of five minutes by the clock of the service',
    async date => {
      const { path, lease } = await service.startUpdate(admin)
      const headers = { authorization: lease, date }
      const timestamp = Date.parse(date) / second
      const summaryEvent = { result: 'succeeded', resourceChanges: {} }
      const events = [{ sequence: 0, timestamp, summaryEvent }]
      expect((await send(`POST ${path}/events/batch`, headers, { events })).status).toBe(200)
      for (const duration of [0, 1, 300, 1_000_000_000]) {
        const { json } = await send(`POST ${path}/renew_lease`, headers, { token: '', duration })
        const remainingMs = Number(json['tokenExpiration']) * second - service.platform.clock.now()
        expect(remainingMs).toBeGreaterThan(leaseMs - 30 * second)
        expect(remainingMs).toBeLessThanOrEqual(leaseMs)
      }
      service.advanceClock(leaseMs - 10 * second)
      expect((await send(`PATCH ${path}/journalentries`, headers, { entries: [] })).status).toBe(
        200,
      )
      service.advanceClock(20 * second)
      expect((await send(`PATCH ${path}/journalentries`, headers, { entries: [] })).status).toBe(
        403,
      )
    },
  )

  test('has the times of the service in its history', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const summaryEvent = { result: 'succeeded', resourceChanges: {} }
    const events = [{ sequence: 0, timestamp: 4_102_444_800, summaryEvent }]
    await service.call(lease, `POST ${path}/events/batch`, { events })
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    const { json } = await service.call(admin, `GET ${shopService}/updates`)
    const [update] = json['updates'] as { readonly startTime: number; readonly endTime: number }[]
    for (const time of [update?.startTime, update?.endTime])
      expect(Math.abs(Number(time) * second - service.platform.clock.now())).toBeLessThan(
        60 * second,
      )
  })
})
