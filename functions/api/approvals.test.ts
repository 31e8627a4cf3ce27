import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BlobHash, EpochMs } from '../../shared/records/ids.ts'
import {
  requireNoApprovalRule,
  requireNoMissingApproval,
} from '../../shared/runtime/approvals/approval-rule.ts'
import { putWaitingApproval } from '../../shared/runtime/approvals/stored-approval.ts'
import type { OutgoingMessage } from '../../shared/ports/notifications.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import type { Caller } from '../../shared/api/authorization.ts'
import { decideApproval } from './decide-approval.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

const plan = 'a'.repeat(64) as BlobHash
const archive = 'b'.repeat(64) as BlobHash

/** Requests an `up`, and stores the approval for which it waits, like a generator. */
async function requestUpWithApproval(
  token: string,
  key: string,
  expiresInMs = 60_000,
  end: 'previewed' | 'withdrawn' = 'previewed',
): Promise<{ readonly token?: string }> {
  const { platform, call } = api
  const response = await call(
    token,
    `POST ${shopPath}/deployments`,
    { command: 'up' },
    { 'idempotency-key': key },
  )
  expect(response.status).toBe(202)
  const stored = await platform.requests.find(shop, key)
  const { token: id, by = '' } = stored?.request ?? {}
  const now = platform.clock.now()
  await putWaitingApproval(platform.documents, shop, {
    request: key,
    command: 'up',
    message: '',
    by,
    changes: { create: 1 },
    plan,
    archive,
    at: now,
    expiresAt: (now + expiresInMs) as EpochMs,
    ...(id === undefined ? {} : { token: id }),
  })
  if (end === 'withdrawn')
    expect((await call(token, `DELETE ${shopPath}/requests/${key}`)).status).toBe(200)
  await platform.requests.end(shop, key, {
    kind: 'previewed',
    result: 'succeeded',
    changes: { create: 1 },
    errors: [],
    approval: { plan, archive, expiresAt: (now + expiresInMs) as EpochMs },
  })
  return id === undefined ? {} : { token: id }
}

const decide = async (token: string, key: string, body: object) => {
  const response = await api.call(token, `POST ${shopPath}/requests/${key}/approval`, body)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('an approved plan becomes one request with this plan, program and approver, however often it is approved', async () => {
  await requestUpWithApproval(await api.issueToken('deploy'), 'one')
  const approver = await api.issueToken('approve')
  for (const _attempt of [1, 2])
    expect(
      await decide(approver, 'one', { verdict: 'approved', note: 'looks good' }),
    ).toMatchObject({
      status: 200,
      body: { state: 'approved', approvedRequest: 'approved one', decision: { by: 'approve' } },
    })
  const waiting = await api.platform.requests.listWaiting(shop, 10)
  expect(waiting.filter(({ key }) => key === 'approved one')).toMatchObject([
    {
      dryRun: false,
      options: { plan, approval: { of: 'one', by: 'approve', note: 'looks good' } },
      program: { kind: 'archive', archive },
    },
  ])
  expect(await api.platform.requests.getProgram(shop)).toBe(archive)
  const other = await decide(await api.issueToken('admin'), 'one', { verdict: 'rejected' })
  expect(other).toMatchObject({ status: 409, body: { code: 'APPROVAL_DECIDED' } })
})

// An escaped line break is longer, so a cut at the length of the note would lose its end.
test('a note with line breaks is kept completely, up to the limit of a note', async () => {
  await requestUpWithApproval(await api.issueToken('deploy'), 'noted')
  const note = 'checked:\n- costs\n- names'
  const { body } = await decide(await api.issueToken('approve'), 'noted', {
    verdict: 'rejected',
    note,
  })
  expect(body).toMatchObject({ decision: { note: note.replaceAll('\n', '\\u{a}') } })
})

test('a requester cannot approve its own plan, and can reject it', async () => {
  const admin = await api.issueToken('admin')
  await requestUpWithApproval(admin, 'own')
  expect(await decide(admin, 'own', { verdict: 'approved' })).toMatchObject({
    status: 403,
    body: { code: 'APPROVAL_OWN' },
  })
  expect(await decide(admin, 'own', { verdict: 'rejected' })).toMatchObject({
    status: 200,
    body: { state: 'rejected' },
  })
  const approver = await api.issueToken('approve')
  expect(await decide(approver, 'own', { verdict: 'approved' })).toMatchObject({
    status: 409,
    body: { code: 'APPROVAL_DECIDED' },
  })
  expect(await api.platform.requests.find(shop, 'approved own')).toBeUndefined()
})

test('a rejection sets the status of the commit whose webhook requested the deployment', async () => {
  const { platform } = api
  await requestUpWithApproval(await api.issueToken('deploy'), 'pushed')
  const stored = await platform.requests.find(shop, 'pushed')
  if (stored === undefined || !('options' in stored.request)) throw new Error('no request')
  const origin = {
    kind: 'webhook',
    webhook: 'hub',
    rule: 'r',
    repository: 'acme/shop',
    commit: 'c1',
    pullRequest: 7,
  } as const
  const sent: OutgoingMessage[] = []
  const ports = {
    ...platform,
    execute: 'here',
    addresses: {},
    outbound: createOutbound(),
    requests: {
      ...platform.requests,
      find: async () => ({ ...stored, request: { ...stored.request, origin } }),
    },
    notifications: {
      ...platform.notifications,
      send: async (messages: readonly OutgoingMessage[]) => void sent.push(...messages),
    },
  } as unknown as ApiPorts
  const caller = { id: 't', name: 'ops', role: 'approve', stacks: ['*'] } as unknown as Caller
  const draft = { verdict: 'rejected', note: 'too wide' } as const
  await decideApproval(ports, { stack: shop, request: 'pushed' }, { caller, draft })
  expect(sent).toMatchObject([
    {
      kind: 'reply',
      reply: {
        webhook: 'hub',
        request: 'pushed',
        commit: 'c1',
        pullRequest: 7,
        state: 'failure',
        description: 'the plan was rejected by ops: too wide',
      },
    },
  ])
})

test('an expired plan and a request without a plan cannot be approved', async () => {
  await requestUpWithApproval(await api.issueToken('deploy'), 'late', -1)
  const approver = await api.issueToken('approve')
  expect(await decide(approver, 'late', { verdict: 'approved' })).toMatchObject({
    status: 409,
    body: { code: 'APPROVAL_EXPIRED' },
  })
  expect(await decide(approver, 'none', { verdict: 'approved' })).toMatchObject({
    status: 404,
    body: { code: 'APPROVAL_UNKNOWN' },
  })
  const list = await api.call(approver, `GET ${shopPath}/approvals`)
  const { items } = (await list.json()) as { items: { request: string; state: string }[] }
  expect(items.find(({ request }) => request === 'late')?.state).toBe('expired')
})

test('the plan of a request that was withdrawn during its preview cannot be approved', async () => {
  await requestUpWithApproval(await api.issueToken('deploy'), 'gone', 60_000, 'withdrawn')
  expect(
    await decide(await api.issueToken('approve'), 'gone', { verdict: 'approved' }),
  ).toMatchObject({ status: 404, body: { code: 'APPROVAL_UNKNOWN' } })
  expect(await api.platform.requests.find(shop, 'approved gone')).toBeUndefined()
})

test('on a stack with a rule, a refresh runs no program, and no client deploys by itself', async () => {
  const { documents } = api.platform
  const refresh = { stack: shop, options: { command: 'refresh', runProgram: true } } as const
  await requireNoMissingApproval(documents, refresh)
  const admin = await api.issueToken('admin')
  await api.call(admin, `PUT ${shopPath}/approval-rule`, { commands: ['destroy'] })
  const refused = { code: 'APPROVAL_REQUIRED' }
  await expect(requireNoMissingApproval(documents, refresh)).rejects.toMatchObject(refused)
  await requireNoMissingApproval(documents, { stack: shop, options: { command: 'refresh' } })
  await expect(requireNoApprovalRule(documents, shop)).rejects.toMatchObject(refused)
  await api.call(admin, `PUT ${shopPath}/approval-rule`, { commands: [] })
  await requireNoApprovalRule(documents, shop)
})

test('the archive of an `up` that needs an approval does not become the program of the stack by its request', async () => {
  const { call, platform } = api
  const admin = await api.issueToken('admin')
  const setRule = (commands: readonly string[]) =>
    call(admin, `PUT ${shopPath}/approval-rule`, { commands })
  const bytes = Buffer.from('a program that needs an approval')
  const name = await platform.archives.put(shop, bytes)
  const body = { command: 'up', archive: createHash('sha256').update(bytes).digest('hex') }
  const before = await platform.requests.getProgram(shop)
  await setRule(['up'])
  expect((await call(admin, `POST ${shopPath}/deployments`, body)).status).toBe(202)
  expect(await platform.requests.getProgram(shop)).toBe(before)
  await setRule(['destroy'])
  expect((await call(admin, `POST ${shopPath}/deployments`, body)).status).toBe(202)
  expect(await platform.requests.getProgram(shop)).toBe(name)
  await setRule([])
})

test('an admin sets the approval rule of a stack, and a token with the role read gets it', async () => {
  const admin = await api.issueToken('admin')
  const body = { commands: ['up'], expiresAfterHours: 2 }
  const put = await api.call(admin, `PUT ${shopPath}/approval-rule`, body)
  expect([put.status, await put.json()]).toEqual([200, body])
  const get = await api.call(await api.issueToken('read'), `GET ${shopPath}/approval-rule`)
  expect(await get.json()).toEqual(body)
})
