import { createHash } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import { type BlobHash, type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

const urn = 'urn:pulumi:dev::shop::a:b:C::x'
const edit = { kind: 'pending clear', urn } as const
const requestLine = `POST ${shopPath}/edits`

test('an edit is put once for its key, and another edit with the key is refused', async () => {
  api = await openTestApi()
  const token = await api.issueToken('deploy')
  const headers = { 'idempotency-key': 'k' }
  for (const _ of [1, 2]) {
    const response = await api.call(token, requestLine, { edit }, headers)
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ key: 'k', command: 'state', dryRun: false })
  }
  expect(await api.platform.requests.listWaiting(shop, 10)).toMatchObject([
    { key: 'k', by: 'deploy (API)', edit },
  ])
  const other = await api.call(token, requestLine, { edit: { kind: 'repair' } }, headers)
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'REQUEST_KEY_TAKEN' }])
  const audited = await api.platform.audit.read(0, 100)
  // Each of the three requests has an entry for the call and one for the response.
  expect(audited.filter(({ what }) => what === requestLine)).toHaveLength(6)
})

test('an edit is refused immediately while a deployment is open or waits, unless it repeats an accepted one', async () => {
  api = await openTestApi()
  const { platform } = api
  const token = await api.issueToken('deploy')
  const headers = { 'idempotency-key': 'first' }
  expect((await api.call(token, requestLine, { edit }, headers)).status).toBe(202)
  const launch = { command: 'up', message: '', at: 1 as EpochMs } as const
  const { deployment } = await platform.catalog.start(shop, launch)
  const busy = await api.call(token, requestLine, { edit })
  expect([busy.status, await busy.json()]).toMatchObject([
    409,
    {
      code: 'STACK_BUSY',
      message: expect.stringMatching(
        /^the stack is currently locked by deployment 1, which began .* ago and has not ended$/,
      ),
    },
  ])
  expect((await api.call(token, requestLine, { edit }, headers)).status).toBe(202)
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
  await platform.catalog.release(deployment, end)
  await platform.requests.end(shop, 'first', { kind: 'refused', code: 'X', message: '' })
  await api.call(token, `POST ${shopPath}/deployments`, { command: 'up' })
  const blocked = await api.call(token, requestLine, { edit })
  expect([blocked.status, await blocked.json()]).toMatchObject([409, { code: 'STACK_BUSY' }])
  expect(await platform.requests.listWaiting(shop, 10)).toHaveLength(1)
})

test('a smaller role, a token of another stack and a bad body are refused, and no request is queued', async () => {
  api = await openTestApi()
  const token = await api.issueToken('deploy')
  for (const [caller, body, status, code] of [
    [await api.issueToken('preview'), { edit }, 403, 'API_FORBIDDEN'],
    [await api.issueToken('deploy', ['shop/other']), { edit }, 403, 'API_FORBIDDEN'],
    [token, { edit: { kind: 'explode' } }, 400, 'API_INPUT_INVALID'],
    [token, { edit: { kind: 'pending import', urn } }, 400, 'API_INPUT_INVALID'],
    [token, { edit: { ...edit, urn: '' } }, 400, 'API_INPUT_INVALID'],
    [token, { edit: { kind: 'import', state: '../x', force: true } }, 400, 'API_INPUT_INVALID'],
    [token, { edit: { ...edit, urn: 'x'.repeat(200_000) } }, 413, 'API_BODY_TOO_LARGE'],
  ] as const) {
    const response = await api.call(caller, requestLine, body)
    expect([response.status, await response.json()]).toMatchObject([status, { code }])
  }
  const missing = await api.call(token, 'POST /v1/stacks/shop/gone/edits', { edit })
  expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'STACK_NOT_FOUND' }])
  expect(await api.platform.requests.listWaiting(shop, 10)).toEqual([])
})

test('an edit can name only a state that was uploaded for its stack', async () => {
  api = await openTestApi()
  const { platform, call } = api
  const token = await api.issueToken('deploy')
  const bytes = Buffer.from('{"version":3}')
  const state = createHash('sha256').update(bytes).digest('hex')
  const edit = { kind: 'import', state, force: false }
  await platform.archives.put(stackIdOf('shop', 'other'), bytes)
  await platform.blobs.put(bytes)
  const unknown = await call(token, requestLine, { edit })
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'ARCHIVE_UNKNOWN' }])
  expect((await call(token, `PUT ${shopPath}/programs/${state}`, bytes)).status).toBe(201)
  expect((await call(token, requestLine, { edit })).status).toBe(202)
  const [request] = await platform.requests.listWaiting(shop, 1)
  const name = archiveNameOf(shop, state as BlobHash)
  expect(request).toMatchObject({ edit: { ...edit, state: name } })
})

test('a rename needs a token of both names and a free name, and is put once for its key', async () => {
  api = await openTestApi()
  const { platform, call, issueToken } = api
  const rename = `POST ${shopPath}/rename`
  const to = { project: 'mall', stack: 'prod' }
  const key = { 'idempotency-key': 'k' }
  for (const [token, body, status] of [
    [await issueToken('deploy', ['shop/dev']), to, 403],
    [await issueToken('deploy', ['mall/prod']), to, 403],
    [await issueToken('preview'), to, 403],
    [await issueToken('deploy'), { project: 'a/b', stack: 'prod' }, 400],
    [await issueToken('deploy'), { project: 'shop', stack: 'dev' }, 409],
  ] as const)
    expect([body, (await call(token, rename, body)).status]).toEqual([body, status])
  expect(await platform.requests.listWaiting(shop, 10)).toEqual([])
  const both = await issueToken('deploy', ['shop/dev', 'mall/*'])
  for (const _ of [1, 2]) expect((await call(both, rename, to, key)).status).toBe(202)
  expect(await platform.requests.listWaiting(shop, 10)).toMatchObject([
    { key: 'k', edit: { kind: 'rename stack', to: 'organization/mall/prod' } },
  ])
  const other = await call(both, rename, { ...to, stack: 'other' }, key)
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'REQUEST_KEY_TAKEN' }])
})

// The first call may have crashed before its nudge, so a repeated call sends one too.
test.each([
  ['edit', requestLine, { edit }],
  ['rename', `POST ${shopPath}/rename`, { project: 'mall', stack: 'prod' }],
])('a repeated %s sends a nudge again until its request has ended', async (_name, line, body) => {
  api = await openTestApi()
  const token = await api.issueToken('deploy')
  const nudge = vi.spyOn(api.platform.nudges, 'nudge')
  const send = async (): Promise<number> => {
    nudge.mockClear()
    await api?.call(token, line, body, { 'idempotency-key': 'k' })
    return nudge.mock.calls.length
  }
  expect([await send(), await send()]).toEqual([1, 1])
  await api.platform.requests.end(shop, 'k', { kind: 'refused', code: 'X', message: '' })
  expect(await send()).toBe(0)
})

test('a waiting edit is withdrawn by the role deploy only, and its stream ends', async () => {
  api = await openTestApi()
  const [deploy, preview] = [await api.issueToken('deploy'), await api.issueToken('preview')]
  await api.call(deploy, requestLine, { edit }, { 'idempotency-key': 'k' })
  const refused = await api.call(preview, `DELETE ${shopPath}/requests/k`)
  expect(refused.status).toBe(403)
  expect((await api.call(deploy, `DELETE ${shopPath}/requests/k`)).status).toBe(200)
  const stream = await api.call(deploy, `GET ${shopPath}/requests/k/stream`)
  expect(await stream.text()).toContain('"code":"DEPLOYMENT_CANCELLED"')
})
