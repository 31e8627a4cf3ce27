import type { Hono } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiLimits } from '../../shared/config/api-limits.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'
import { createApi } from './create-api.ts'
import { federationKeyOf } from '../../shared/api/federation/federation-rule.ts'
import { parseTokenText } from '../../shared/api/token-document.ts'
import { issueToken } from '../../shared/api/issue-token.ts'

let api: TestApi
let app: Hono
/** The simulated time of the API. */
let nowMs = 0
/** Called at each pause of a stream, after the time has advanced. */
let onPause: () => Promise<void>
/** The slots that streams took and released. */
let taken: string[]
let released: string[]

beforeEach(async () => {
  api = await openTestApi()
  ;[nowMs, taken, released, onPause] = [0, [], [], async () => undefined]
  const { platform } = api
  const startedAt = platform.clock.now()
  const clock = {
    ...platform.clock,
    monotonicMs: () => nowMs,
    now: () => (startedAt + nowMs) as EpochMs,
    sleep: async (ms: number) => {
      nowMs += ms
      await onPause()
    },
  }
  const marks = {
    ...platform.marks,
    mark: async (key: string, expiresAt: EpochMs) => {
      taken.push(key)
      return platform.marks.mark(key, expiresAt)
    },
    unmark: async (key: string) => {
      released.push(key)
      await platform.marks.unmark(key)
    },
  }
  const ports = { ...platform, clock, marks, execute: 'here', addresses: {} } as const
  const outbound = createOutbound()
  app = createApi({ ports: { ...ports, outbound }, addressOf: () => '192.0.2.7' })
  const holder = { host: 'here', pid: 7, started: '1', who: 'a test' }
  const launch = { command: 'up', message: '', at: 1 as EpochMs } as const
  const { deployment } = await platform.catalog.start(shop, launch)
  await platform.control.create(deployment, holder)
})
afterEach(() => api.close())

const idOf = (token: string): string => parseTokenText(token)?.id ?? ''
const openStream = async (token: string, headers: object = {}): Promise<Response> =>
  app.request(`${shopPath}/deployments/1/stream`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })

/** Creates a token that expires after a time. */
async function issueShortToken(lifetimeMs: number): Promise<string> {
  const permissions = { name: 'short', role: 'read', stacks: '*' } as const
  return (await issueToken(api.platform, { id: '0123456789abcdef', permissions, lifetimeMs })).token
}

/** The simulated time at which the token of a stream changes or expires. */
const changeMs = 2_000
test.each<[string, string, (id: string, admin: string) => Promise<unknown>]>([
  ['revoked', 'API_TOKEN_REFUSED', (id, admin) => api.call(admin, `DELETE /v1/tokens/${id}`)],
  [
    'rotated without an overlap',
    'API_TOKEN_EXPIRED',
    (id, admin) => api.call(admin, `POST /v1/tokens/${id}/rotate`, { overlapSeconds: 0 }),
  ],
])('a stream of a token that is %s ends within seconds', async (_name, code, change) => {
  const [token, admin] = [await api.issueToken('read'), await api.issueToken('admin')]
  let isChanged = false
  onPause = async () => {
    if (isChanged || nowMs < changeMs) return
    isChanged = true
    await change(idOf(token), admin)
  }
  expect(await (await openStream(token)).text()).toMatch(/event: again\ndata: \{\}\n\n$/)
  expect(nowMs).toBeGreaterThan(changeMs)
  expect(nowMs - changeMs).toBeLessThan(apiLimits.tokenCheckMs + 1_000)
  const refused = await openStream(token)
  expect([refused.status, await refused.json()]).toMatchObject([401, { code }])
})

test('a stream of a token whose federation rule is removed ends within seconds', async () => {
  const { documents } = api.platform
  const key = federationKeyOf('ci')
  const version = Number(await documents.put(key, {}, 0))
  const rule = { name: 'ci', version }
  const permissions = { name: 'ci: a job', role: 'read', stacks: '*', rule } as const
  const job = { id: '0123456789abcdef', permissions, lifetimeMs: 600_000 }
  const { token } = await issueToken(api.platform, job)
  onPause = async () => {
    if (nowMs >= changeMs) await documents.remove(key, version)
  }
  expect(await (await openStream(token)).text()).toMatch(/event: again\ndata: \{\}\n\n$/)
  expect(nowMs).toBeGreaterThan(changeMs)
  expect(nowMs - changeMs).toBeLessThan(apiLimits.tokenCheckMs + 1_000)
  const refused = await openStream(token)
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'API_TOKEN_REFUSED' }])
})

test('a stream of a token that expires ends within seconds', async () => {
  const token = await issueShortToken(changeMs)
  expect(await (await openStream(token)).text()).toMatch(/event: again\ndata: \{\}\n\n$/)
  expect(nowMs - changeMs).toBeLessThan(apiLimits.tokenCheckMs + 1_000)
  const refused = await openStream(token)
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'API_TOKEN_EXPIRED' }])
})

test('a stream that always has new events ends with its token too', async () => {
  const [token, admin] = [await api.issueToken('read'), await api.issueToken('admin')]
  const { events, catalog } = api.platform
  const record = await catalog.getStack(shop)
  if (record === undefined || record.current === '') throw new Error('no deployment')
  const line = JSON.stringify({ stdoutEvent: { message: 'line', color: 'raw' } })
  await events.append(record.current, 'w', 0, [line])
  const reader = (await openStream(token)).body?.getReader()
  await api.call(admin, `DELETE /v1/tokens/${idOf(token)}`)
  let text = ''
  for (let index = 1; index < 100; index += 1) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    text += Buffer.from(value ?? []).toString()
    // Reading takes time, and there is a new event at each read.
    nowMs += 1_000
    await events.append(record.current, 'w', index, [line])
  }
  expect(text).toMatch(/event: again\ndata: \{\}\n\n$/)
  expect(nowMs).toBeLessThan(15_000)
})

// A stream that begins after the summary must not wait for the summary again.
test('a stream that continues after the summary of an ended deployment ends immediately', async () => {
  const token = await api.issueToken('read')
  const { events, catalog } = api.platform
  const deployment = (await catalog.getStack(shop))?.current ?? ''
  if (deployment === '') throw new Error('no deployment')
  const lines = [{ stdoutEvent: { message: 'line', color: 'raw' } }, { summaryEvent: {} }]
  for (const [index, line] of lines.entries())
    await events.append(deployment, 'w', index, [JSON.stringify(line)])
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
  await catalog.release(deployment, end)
  const text = await (await openStream(token)).text()
  expect([text.match(/event: \w+/g), nowMs]).toEqual([['event: events', 'event: end'], 0])
  const lastId = /^id: (.*)$/m.exec(text)?.[1] ?? ''
  const continued = await openStream(token, { 'last-event-id': lastId })
  expect((await continued.text()).match(/event: \w+/g)).toEqual(['event: end'])
  expect(nowMs).toBe(0)
  // An `s` in the id says that the summary was before it.
  const withoutSummary = await openStream(token, { 'last-event-id': lastId.replace('s', '') })
  expect((await withoutSummary.text()).match(/event: \w+/g)).toEqual(['event: end'])
  expect(nowMs).toBeGreaterThan(apiLimits.lateEventsMs)
})

test('a stream holds a slot of its token and of the installation until its end or disconnection', async () => {
  const token = await api.issueToken('read')
  await (await openStream(token)).text()
  const ownSlot = expect.stringMatching(`^stream ${idOf(token)} \\d+$`)
  expect(taken).toEqual([ownSlot, expect.stringMatching(/^stream all \d+$/)])
  expect(released.toSorted()).toEqual(taken.toSorted())
  const reader = (await openStream(token)).body?.getReader()
  await reader?.read()
  expect([taken.length, released.length]).toEqual([4, 2])
  await reader?.cancel()
  expect(released.toSorted()).toEqual(taken.toSorted())
})

test('a HEAD request opens no stream', async () => {
  const token = await api.issueToken('read')
  const response = await api.call(token, `HEAD ${shopPath}/deployments/1/stream`)
  expect([response.status, taken]).toEqual([404, []])
})

test('an installation with all its streams open answers a request for one more with 429', async () => {
  const token = await api.issueToken('read')
  const later = (api.platform.clock.now() + 60_000) as EpochMs
  for (let slot = 0; slot < apiLimits.streamsMax; slot += 1)
    await api.platform.marks.mark(`stream all ${slot}`, later)
  const refused = await openStream(token)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({
    message: expect.stringContaining('the installation has 200 open streams'),
  })
  expect((await api.call(token, `GET ${shopPath}/deployments/1`)).status).toBe(200)
})

test('a token with all its streams open gets 429 for one more, and other calls are answered', async () => {
  const token = await api.issueToken('read')
  const later = (api.platform.clock.now() + 60_000) as EpochMs
  for (let slot = 0; slot < apiLimits.tokenStreamsMax; slot += 1)
    await api.platform.marks.mark(`stream ${idOf(token)} ${slot}`, later)
  const refused = await openStream(token)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await refused.json()).toMatchObject({ code: 'API_RATE_LIMITED' })
  expect(released).toEqual([])
  expect((await api.call(token, `GET ${shopPath}/deployments/1`)).status).toBe(200)
  const other = await openStream(await api.issueToken('read'))
  expect(other.status).toBe(200)
  await other.body?.cancel()
})
