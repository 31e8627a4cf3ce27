import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestApi, type TestApi } from './api.fixture.ts'

let api: TestApi
beforeEach(async () => {
  api = await openTestApi()
})
afterEach(() => api.close())

const source = 'https://source.test'
const path = 'PUT /v1/audit/imports/00112233445566ff'
const entryOf = (id: string, fields: object = {}) => ({
  id,
  at: 1_700_000_000_000,
  who: 'ana (here)',
  from: '192.0.2.1',
  what: 'POST /v1/tokens',
  kind: 'asked',
  request: id,
  position: 7,
  ...fields,
})

/** The members of an entry of the log that the tests read. */
interface LoggedEntry {
  readonly id: string
  readonly request: string
  readonly at: number
  readonly who: string
  readonly what: string
  readonly importedFrom?: string
}

const readLog = async (token: string): Promise<readonly LoggedEntry[]> => {
  const response = await api.call(token, 'GET /v1/audit?limit=100')
  return ((await response.json()) as { items: LoggedEntry[] }).items
}
const isImported = async (token: string, entry: string, from = source): Promise<boolean> => {
  const query = new URLSearchParams({ source: from, entry }).toString()
  const response = await api.call(token, `GET /v1/audit/imported?${query}`)
  return ((await response.json()) as { isImported: boolean }).isImported
}

// If pages were not logged, an administrator could append entries later without a trace.
test('imported entries keep order, time and actor, have a mark, and each page is logged', async () => {
  const admin = await api.issueToken('admin')
  const [first, second] = [entryOf('r1 asked'), entryOf('r1 answered', { kind: 'answered' })]
  expect(await isImported(admin, 'r1 asked')).toBe(false)
  const entries = [first, { ...second, status: 201 }]
  for (let count = 0; count < 2; count += 1) {
    const response = await api.call(admin, path, { source, entries })
    expect([response.status, await response.json()]).toEqual([200, { entries: 2 }])
  }
  const log = await readLog(admin)
  expect(log.filter(({ importedFrom }) => importedFrom === source)).toMatchObject([
    { at: first.at, who: first.who, what: first.what, kind: 'answered', status: 201 },
    { at: first.at, who: first.who, what: first.what, kind: 'asked' },
  ])
  expect(await isImported(admin, 'r1 asked')).toBe(true)
  const importers = log.filter(({ importedFrom }) => importedFrom === undefined)
  expect(importers.map(({ what }) => what)).toEqual([path, path, path, path])
  expect(new Set(importers.map(({ request }) => request)).size).toBe(2)
})

test('no import can write an entry of the target, or replace one', async () => {
  const admin = await api.issueToken('admin')
  await api.call(admin, 'POST /v1/stacks/audit/one')
  const [before] = (await readLog(admin)).filter(({ what }) => what === 'POST /v1/stacks/audit/one')
  const forged = entryOf(before?.id ?? '', { who: 'mallory', request: before?.request })
  await api.call(admin, path, { source, entries: [forged] })
  const after = await readLog(admin)
  expect(after.filter(({ id }) => id === before?.id)).toEqual([before])
  const [copy] = after.filter(({ who }) => who === 'mallory')
  expect(copy?.importedFrom).toBe(source)
  expect(copy?.id).toMatch(/^imported [0-9a-f]{64}$/)
  // The same id of another source is another entry, and an entry of a third one names both.
  const other = 'https://other.test'
  expect(await isImported(admin, forged.id, other)).toBe(false)
  await api.call(admin, path, { source: other, entries: [{ ...forged, importedFrom: source }] })
  const marks = (await readLog(admin)).flatMap(({ importedFrom = [] }) => importedFrom)
  expect(marks).toEqual([`${source} via ${other}`, source])
})

test.each([
  ['an entry without an id', { source, entries: [entryOf('')] }],
  ['a time that is no date', { source, entries: [entryOf('a', { at: 8_640_000_000_000_001 })] }],
  ['a status that is none', { source, entries: [entryOf('a', { status: 7 })] }],
  ['no source', { entries: [entryOf('a')] }],
  ['no entries', { source, entries: [] }],
  ['too many entries', { source, entries: Array.from({ length: 101 }, () => entryOf('a')) }],
])('a page with %s is refused, and the log has the refusal', async (_, body) => {
  const admin = await api.issueToken('admin')
  const response = await api.call(admin, path, body)
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('API_INPUT_INVALID'),
  ])
  expect((await readLog(admin)).some(({ importedFrom }) => importedFrom !== undefined)).toBe(false)
  const accepted = await api.call(admin, path, { source, entries: [entryOf('a')] })
  expect(accepted.status).toBe(200)
  const statuses = (await readLog(admin)).flatMap(entry =>
    entry.what === path && 'status' in entry ? [entry.status] : [],
  )
  expect(statuses).toEqual([200, 400])
})

test('only an administrator of all stacks reads and imports audit entries', async () => {
  for (const role of ['read', 'approve', 'deploy'] as const) {
    const token = await api.issueToken(role)
    const body = { source, entries: [entryOf('a')] }
    expect((await api.call(token, path, body)).status).toBe(403)
    expect((await api.call(token, `GET /v1/audit/imported?source=a&entry=b`)).status).toBe(403)
  }
})
