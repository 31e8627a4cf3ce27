import { afterEach, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { sealingContextOf } from '../../shared/ports/documents.ts'
import { type DeploymentId, type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import type { RequestEnd } from '../../shared/records/stack-request.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { createScheduleRequest } from '../../shared/triggers/trigger-requests.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'
import { callApiInProcess } from './call-in-process.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

async function openWithTokens(): Promise<
  TestApi & { readonly admin: string; readonly read: string }
> {
  api = await openTestApi()
  return { ...api, admin: await api.issueToken('admin'), read: await api.issueToken('read') }
}

const secret = 'a secret of enough characters'

test('a webhook stores its secrets sealed, and shows only that they exist', async () => {
  const { call, admin, platform } = await openWithTokens()
  const rule = { on: 'push', branches: ['main'], repository: 'acme/shop', stack: shop }
  const draft = { form: 'github', secrets: [secret], credential: 'ghp_secret', rules: [rule] }
  const put = await call(admin, 'PUT /v1/webhooks/main', draft)
  expect(put.status).toBe(200)
  const shown = await (await call(admin, 'GET /v1/webhooks/main')).text()
  const listed = await (await call(admin, 'GET /v1/webhooks')).text()
  const key = { kind: 'webhook', scope: '*', name: 'main' } as const
  const stored = await platform.documents.get(key)
  for (const text of [await put.text(), shown, listed, JSON.stringify(stored)])
    for (const hidden of [secret, 'ghp_secret']) expect(text).not.toContain(hidden)
  expect(JSON.parse(shown)).toMatchObject({
    name: 'main',
    stack: '*',
    version: 1,
    value: { form: 'github', secrets: 1, hasCredential: true, rules: [{ on: 'push' }] },
  })
  const { secrets = [] } = (stored?.value ?? {}) as { secrets?: string[] }
  expect(await platform.sealing.open(secrets[0] ?? '', sealingContextOf(key))).toBe(secret)
  expect((await call(admin, 'PUT /v1/webhooks/main', { ...draft, secrets: ['x'] })).status).toBe(
    400,
  )
  expect((await call(admin, 'DELETE /v1/webhooks/main')).status).toBe(200)
  expect((await call(admin, 'GET /v1/webhooks/main')).status).toBe(404)
})

test('a schedule is validated before it is stored, and a changed schedule skips earlier times', async () => {
  const { call, admin, read, platform } = await openWithTokens()
  const path = `${shopPath}/schedules/nightly`
  for (const when of ['not a time', '61 * * * *', 'rate(0 days)'])
    expect((await call(admin, `PUT ${path}`, { when, operation: { kind: 'up' } })).status).toBe(400)
  const zone = { when: '0 3 * * *', zone: 'Nowhere/Else', operation: { kind: 'up' } }
  expect(await (await call(admin, `PUT ${path}`, zone)).json()).toMatchObject({
    code: 'SCHEDULE_INVALID',
  })
  const drift = { when: '0 3 * * *', operation: { kind: 'refresh', remediate: true } }
  expect((await call(admin, `PUT ${path}`, drift)).status).toBe(200)
  const first = await (await call(read, `GET ${path}`)).json()
  expect(first).toMatchObject({ stack: 'shop/dev', value: { zone: 'UTC', isPaused: false } })
  const key = { kind: 'schedule', scope: shop, name: 'nightly' } as const
  const made = (await platform.documents.get(key))?.value as { createdAt: number; lastAt?: number }
  expect(made.lastAt).toBeUndefined()
  await call(admin, `PUT ${path}`, { ...drift, isPaused: true })
  const changed = (await platform.documents.get(key))?.value as typeof made
  expect(changed).toMatchObject({ createdAt: made.createdAt, lastAt: expect.any(Number) })
  expect((await call(admin, 'PUT /v1/stacks/shop/none/schedules/x', drift)).status).toBe(404)
})

test('only an administrator can store a schedule that removes its stack, and only for a destroy that runs once', async () => {
  const { call, admin, issueToken, platform } = await openWithTokens()
  const deploy = await issueToken('deploy')
  const path = `PUT ${shopPath}/schedules/end`
  const body = { when: 'at(2099-01-31T04:00:00)', operation: { kind: 'destroy' } }
  expect(await (await call(deploy, path, { ...body, removesStack: true })).json()).toMatchObject({
    code: 'API_FORBIDDEN',
    message: expect.stringContaining("the field 'removesStack' requires the role admin"),
  })
  for (const change of [{ when: 'rate(1 day)' }, { operation: { kind: 'up' } }]) {
    const refused = await call(admin, path, { ...body, ...change, removesStack: true })
    expect(await refused.json()).toMatchObject({ code: 'SCHEDULE_INVALID' })
  }
  expect((await call(admin, path, { ...body, removesStack: true })).status).toBe(200)
  const key = { kind: 'schedule', scope: shop, name: 'end' } as const
  expect((await platform.documents.get(key))?.value).toMatchObject({ removesStack: true })
  const shared = { when: 'rate(1 day)', operation: { kind: 'refresh' }, removesStack: true }
  expect((await call(admin, 'PUT /v1/schedules/all', shared)).status).toBe(400)
})

test('notifications of a stack and of all stacks are separate, and their secrets are write-only', async () => {
  const { call, admin } = await openWithTokens()
  const draft = { url: 'https://example.com/hook', events: ['failed', 'drift'], secret }
  for (const path of ['/v1/notifications/ops', `${shopPath}/notifications/ops`]) {
    const put = await call(admin, `PUT ${path}`, draft)
    expect(put.status).toBe(200)
    expect(await put.text()).not.toContain(secret)
  }
  const list = async (path: string): Promise<{ stack: string }[]> =>
    ((await (await call(admin, `GET ${path}`)).json()) as { items: { stack: string }[] }).items
  expect(await list('/v1/notifications')).toMatchObject([{ stack: '*' }])
  expect(await list(`${shopPath}/notifications`)).toMatchObject([{ stack: 'shop/dev' }])
  const bad = { ...draft, url: 'file:///etc/passwd' }
  expect((await call(admin, 'PUT /v1/notifications/bad', bad)).status).toBe(400)
})

test.each([
  ['http://example.com/hook', 'must not be called by http:'],
  ['https://169.254.169.254/latest', 'link-local'],
  ['https://[::1]/hook', 'loopback'],
  ['https://me:secret@example.com/hook', 'has a user or password in it'],
])('a notification and a webhook with the address %s are not stored', async (url, reason) => {
  const { call, admin } = await openWithTokens()
  const notification = { url, events: ['failed'], secret }
  const webhook = { form: 'github', secrets: [secret], apiUrl: url, rules: [] }
  for (const [path, body] of [
    [`${shopPath}/notifications/ops`, notification],
    ['/v1/webhooks/main', webhook],
  ] as const) {
    const response = await call(admin, `PUT ${path}`, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      message: expect.stringContaining(reason),
    })
    expect((await call(admin, `GET ${path}`)).status).toBe(404)
  }
})

test('a webhook of a host without a public address needs the address of its API', async () => {
  const { call, admin } = await openWithTokens()
  const put = (webhook: object) => call(admin, 'PUT /v1/webhooks/main', { rules: [], ...webhook })
  const refused = [
    { form: 'gitea', secrets: [secret] },
    { form: 'bitbucket-server', secrets: [secret] },
    { form: 'gitlab', secrets: ['whsec_c2hvcnQ='] },
  ]
  for (const webhook of refused) expect((await put(webhook)).status).toBe(400)
  expect((await put({ form: 'gitlab', secrets: [secret] })).status).toBe(200)
  const stored = await (await call(admin, 'GET /v1/webhooks/main')).json()
  expect(stored).toMatchObject({ value: { form: 'gitlab', apiUrl: 'https://gitlab.com/api/v4' } })
})

test('a call without HTTP is validated and audited like one with HTTP', async () => {
  const { platform, call, admin } = await openWithTokens()
  const ports = { ...platform, execute: 'here', addresses: {}, outbound: createOutbound() } as const
  const put = { method: 'PUT', path: `${shopPath}/schedules/x` } as const
  const body = { when: 'rate(1 day)', operation: { kind: 'refresh' } }
  expect(await callApiInProcess(ports, 'ann', { ...put, body })).toMatchObject({
    name: 'x',
    version: 1,
  })
  await expect(callApiInProcess(ports, 'ann', { ...put, body: {} })).rejects.toMatchObject({
    code: 'API_INPUT_INVALID',
  })
  const nowhere = { method: 'GET', path: '/v1/none' } as const
  await expect(callApiInProcess(ports, 'ann', nowhere)).rejects.toMatchObject({
    code: 'API_ROUTE_UNKNOWN',
  })
  const { items } = (await (await call(admin, 'GET /v1/audit?limit=4')).json()) as {
    items: { who: string; status?: number; from: string }[]
  }
  expect(items.map(({ who, status, from }) => [who, status, from])).toEqual([
    ['ann (here)', 400, 'this machine'],
    ['ann (here)', undefined, 'this machine'],
    ['ann (here)', 200, 'this machine'],
    ['ann (here)', undefined, 'this machine'],
  ])
  const listed = await callApiInProcess(ports, 'ann', {
    method: 'GET',
    path: `${shopPath}/deployments?limit=1`,
  })
  expect(listed).toEqual({ items: [] })
})

test('undelivered notifications are listed without their contents, and sent again', async () => {
  const { call, admin, read, platform } = await openWithTokens()
  const { notifications } = platform
  const at = 1_700_000_000_000 as EpochMs
  const facts = { stack: shop, deployment: `${shop}/7` as DeploymentId, command: 'up', at }
  const event = { kind: 'failed', changes: { create: 1 }, codes: ['DEPLOYMENT_FAILED'] } as const
  const key = { kind: 'notification', scope: shop, name: 'ops' } as const
  await notifications.send([{ kind: 'notification', key, event: { ...event, ...facts } }])
  for (let left = triggerLimits.notificationAttemptsMax; left > 0; left -= 1) {
    const [delivery] = await notifications.receive(1, 0)
    await notifications.postpone(delivery?.receipt ?? '', 0)
  }
  const path = '/v1/dead-notifications'
  expect((await call(read, `GET ${path}`)).status).toBe(403)
  expect(await (await call(admin, `GET ${path}`)).json()).toEqual({
    items: [{ to: 'ops', stack: shop, about: 'failed', deployment: `${shop}/7` }],
  })
  expect(await (await call(admin, `POST ${path}/redrive`)).json()).toEqual({ sent: 1 })
  expect(await (await call(admin, `GET ${path}`)).json()).toEqual({ items: [] })
  expect(await notifications.receive(1, 0)).toMatchObject([{ message: { key }, deliveries: 1 }])
})

test('a notification keeps its secret if the request has none, null removes it, and the format `signed` needs 16 characters', async () => {
  const { call, admin } = await openWithTokens()
  const path = `${shopPath}/notifications/ops`
  const put = async (fields: object) => {
    const value = { url: 'https://example.com/hook', events: ['failed'], ...fields }
    const response = await call(admin, `PUT ${path}`, value)
    return [response.status, await response.json()] as const
  }
  const long = 'x'.repeat(16)
  const withSecret = (hasSecret: boolean) => [
    200,
    expect.objectContaining({ value: expect.objectContaining({ hasSecret }) }),
  ]
  expect((await put({}))[0]).toBe(400)
  expect(await put({ format: 'pulumi' })).toEqual(withSecret(false))
  expect(await put({ format: 'pulumi', secret: 'short' })).toEqual(withSecret(true))
  expect(await put({ format: 'pulumi' })).toEqual(withSecret(true))
  for (const secret of [undefined, null, 'short', 'x'.repeat(15)])
    expect(await put({ secret })).toEqual([400, expect.objectContaining({ at: 'body.secret' })])
  expect(await put({ secret: long })).toEqual(withSecret(true))
  expect(await put({})).toEqual(withSecret(true))
  expect(await put({ format: 'pulumi', secret: null })).toEqual(withSecret(false))
})

test('the list of drift contains the stacks of the token, with the newest findings', async () => {
  const { platform, call, admin, read, issueToken } = await openWithTokens()
  const other = stackIdOf('other', 'prod')
  await platform.catalog.createStack(other, platform.clock.now())
  const fields = { when: 'rate(1 day)', operation: { kind: 'refresh' }, stacks: {} }
  expect((await call(admin, 'PUT /v1/schedules/all', { ...fields, jitterMs: 60_000 })).status).toBe(
    200,
  )
  const bad = { ...fields, operation: { kind: 'destroy' } }
  expect((await call(admin, 'PUT /v1/schedules/bad', bad)).status).toBe(400)
  const key = { kind: 'schedule', scope: '*', name: 'all' } as const
  const stored = await platform.documents.get(key)
  const schedule = scheduleDocument.parse({ ...(stored?.value as object), recentRuns: [5, 9] })
  await platform.documents.put(key, schedule, stored?.version ?? 0)
  const put = async (due: number, end: RequestEnd | undefined): Promise<void> => {
    const run = { stack: shop, name: 'all', schedule, due: due as EpochMs, isShared: true }
    const request = createScheduleRequest(run, { requestedAt: due as EpochMs, execute: 'here' })
    await platform.requests.put(request)
    if (end !== undefined) await platform.requests.end(shop, request.key, end)
  }
  const changes = { same: 3, update: 2 }
  const urns = ['urn:pulumi:dev::shop::t::a']
  const end = { kind: 'previewed', result: 'succeeded', changes, errors: [], urns } as const
  await put(5, { ...end, resourceCount: 5 })
  await put(9, { kind: 'refused', code: 'DRIFT_READ_RECENTLY', message: 'just now' })
  const list = async (token: string) => (await call(token, 'GET /v1/drift')).json()
  const found = { at: 5, request: 'shared schedule all 5', count: 2, urns, reads: 5 }
  const finding = { stack: 'shop/dev', status: 'skipped', schedule: 'all', found }
  expect(await list(admin)).toMatchObject({
    items: [
      { stack: 'other/prod', status: 'unknown' },
      { ...finding, reason: expect.any(String) },
    ],
  })
  const limited = await issueToken('read', ['other/*'])
  expect(await list(limited)).toEqual({ items: [{ stack: 'other/prod', status: 'unknown' }] })
  expect((await call(read, 'PUT /v1/schedules/all', fields)).status).toBe(403)
})
