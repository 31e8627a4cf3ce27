import { afterEach, expect, test } from 'vitest'
import { type EpochMs, previewIdOf, stackIdOf } from '../../shared/records/ids.ts'
import { openTestApi, shop, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

test('a query sees only the stacks of its token, and an error of the SQL is a bad request', async () => {
  api = await openTestApi()
  await api.platform.catalog.createStack(stackIdOf('other', 'prod'), api.platform.clock.now())
  const body = { sql: 'select project, stack, version from stacks order by 1' }
  const limited = await api.issueToken('read', ['shop/dev'])
  const unlimited = await api.issueToken('read')
  const readRows = async (token: string, more: object = {}): Promise<unknown> => {
    const response = await api?.call(token, 'POST /v1/query', { ...body, ...more })
    return [response?.status, await response?.json()]
  }
  const rest = { isTruncated: false, unreadable: [], columns: ['project', 'stack', 'version'] }
  expect(await readRows(limited)).toEqual([200, { rows: [['shop', 'dev', 0]], ...rest }])
  const all = [
    ['other', 'prod', 0],
    ['shop', 'dev', 0],
  ]
  expect(await readRows(unlimited)).toEqual([200, { rows: all, ...rest }])
  expect(await readRows(limited, { project: 'other' })).toEqual([200, { rows: [], ...rest }])
  expect(await readRows(unlimited, { sql: 'drop table stacks' })).toMatchObject([
    400,
    { code: 'QUERY_INVALID' },
  ])
})

/** Returns the event with which a step of a resource ends. */
function stepEnd(op: string, name: string, detailedDiff: object | null = null): string {
  const metadata = { op, urn: `urn:${name}`, detailedDiff, old: null, new: null }
  return JSON.stringify({ resOutputsEvent: { metadata } })
}

test('the drift of refreshes and of scheduled previews has a row per resource', async () => {
  api = await openTestApi()
  const { catalog, clock, documents, events, requests } = api.platform
  const at = clock.now()
  const launch = { command: 'refresh', message: '', at } as const
  const { deployment } = await catalog.start(shop, launch)
  await events.append(deployment, 'w', 0, [
    stepEnd('update', 'a', { 'tags.env': { diffKind: 'update', inputDiff: false } }),
    stepEnd('same', 'b'),
    stepEnd('delete', 'c'),
  ])
  await catalog.release(deployment, { at, result: 'succeeded', changes: { update: 1 }, version: 0 })
  const minute = 60_000
  const lastAt = (Math.floor(at / minute) * minute) as EpochMs
  const recentRuns = [lastAt - 3 * minute, lastAt]
  const schedule = { when: '* * * * *', operation: { kind: 'refresh' }, createdAt: 0, recentRuns }
  await documents.put({ kind: 'schedule', scope: shop, name: 'nightly' }, schedule, 0)
  await documents.put({ kind: 'schedule', scope: shop, name: 'broken' }, { when: 'never' }, 0)
  const keys = [lastAt - 3 * minute, lastAt].map(due => `schedule nightly ${due}`)
  for (const [index, key] of keys.entries()) {
    const options = { command: 'refresh', message: '', parallel: 1, refresh: false } as const
    await requests.put({
      stack: shop,
      key,
      at,
      by: 'schedule nightly',
      dryRun: true,
      program: { kind: 'last' },
      options: { ...options, continueOnError: false, execute: 'here' },
    })
    const end = { kind: 'previewed', result: 'succeeded', changes: { update: 1 } } as const
    await requests.end(shop, key, { ...end, errors: [], urns: [`urn:${index}`] })
  }
  await events.append(previewIdOf(shop, keys[1] ?? ''), 'p', 0, [
    stepEnd('same', 'd'),
    JSON.stringify({ resOutputsEvent: { metadata: { op: 'update', urn: 'urn:d', diffs: ['x'] } } }),
  ])
  const token = await api.issueToken('read')
  const sql = 'select deployment, request, urn, kind, paths from drift'
  const response = await api.call(token, 'POST /v1/query', { sql })
  expect(await response.json()).toMatchObject({
    rows: [
      [1, null, 'urn:a', 'update', '["tags.env"]'],
      [1, null, 'urn:c', 'delete', '[]'],
      [null, keys[0], 'urn:0', null, '[]'],
      [null, keys[1], 'urn:d', 'update', '["x"]'],
    ],
  })
})

test('the name of a resource may contain the separator of URNs', async () => {
  api = await openTestApi()
  const urn = 'urn:pulumi:dev::shop::my:index:Group::first::second'
  const resources = [{ urn, custom: false, type: 'my:index:Group', inputs: { text: 'found' } }]
  const state = { version: 3, deployment: { manifest: {}, resources } }
  const snapshot = await api.platform.blobs.put(Buffer.from(JSON.stringify(state)))
  await api.platform.catalog.publish(shop, 0, snapshot)
  const token = await api.issueToken('read')
  for (const table of ['resources', 'search']) {
    const response = await api.call(token, 'POST /v1/query', { sql: `select name from ${table}` })
    expect(await response.json()).toMatchObject({ rows: [['first::second']] })
  }
})
