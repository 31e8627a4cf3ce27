/** The routes of an API whose stacks are in several groups, each with a store of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StackGroup } from '../../shared/config/stack-groups.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, shop, type TestApi } from './api.fixture.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'
import { createToken } from '../../shared/api/issue-token.ts'

const stackGroups: readonly StackGroup[] = [
  { name: 'payments', projects: ['pay-*'] },
  { name: 'web', projects: ['site'] },
]
const payments = stackIdOf('pay-eu', 'dev')
const site = stackIdOf('site', 'dev')

let homes: string[] = []
let platforms: EmbeddedPlatform[] = []
let api: TestApi
let token = ''

async function openGroup(group: StackGroup) {
  const home = mkdtempSync(join(tmpdir(), 'antichain-group-'))
  homes.push(home)
  const platform = await openEmbeddedPlatform({ home })
  platforms.push(platform)
  const ports: ApiPorts = {
    ...platform,
    execute: 'here',
    addresses: {},
    outbound: createOutbound(),
    stackGroup: group.name,
    stackGroups,
  }
  return { ...group, ports }
}

beforeEach(async () => {
  homes = [mkdtempSync(join(tmpdir(), 'antichain-group-'))]
  const common = await openEmbeddedPlatform({ home: homes[0] ?? '' })
  platforms = [common]
  const otherGroups: Awaited<ReturnType<typeof openGroup>>[] = []
  // The order of `platforms` is that of the groups.
  for (const group of stackGroups) otherGroups.push(await openGroup(group))
  api = await openTestApi({
    ports: {
      ...common,
      execute: 'here',
      addresses: {},
      outbound: createOutbound(),
      stackGroups,
      otherGroups,
    },
  })
  token = (await createToken(common, { name: 'admin', role: 'admin' })).token
  for (const path of ['pay-eu/dev', 'site/dev', 'shop/dev'])
    expect((await call(`POST /v1/stacks/${path}`)).status).toBe(201)
})
afterEach(async () => {
  await api.close()
  await Promise.all(platforms.map(platform => platform.close()))
  for (const home of homes) rmSync(home, { recursive: true })
})

async function call(requestLine: string, body?: unknown, group?: string) {
  const headers = group === undefined ? {} : { 'antichain-group': group }
  const response = await api.call(token, requestLine, body, headers)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('an API with groups of stacks', () => {
  test('attaches a policy pack only to stacks and projects of the group that reads it', async () => {
    const body = (stack: string) => ({ archive: '0'.repeat(64), stacks: { stacks: [stack] } })
    for (const [stack, group] of [
      ['pay-eu/dev', undefined],
      ['site/dev', 'payments'],
      ['shop/dev', 'web'],
    ] as const)
      expect((await call('PUT /v1/policies/rules', body(stack), group)).body).toMatchObject({
        code: 'STACK_GROUP_DIFFERENT',
      })
    for (const [project, group] of [
      ['pay-eu', undefined],
      ['site', 'payments'],
    ] as const) {
      const stacks = { projects: ['shop', project] }
      const policy = { archive: '0'.repeat(64), stacks }
      expect((await call('PUT /v1/policies/rules', policy, group)).body).toMatchObject({
        code: 'STACK_GROUP_DIFFERENT',
      })
    }
    // The stack is in the group, and the pack is not uploaded.
    expect(
      (await call('PUT /v1/policies/rules', body('pay-eu/dev'), 'payments')).body,
    ).toMatchObject({ code: expect.stringMatching(/ARCHIVE|PROGRAM/) })
  })

  test('creates each stack in the store of its group only', async () => {
    const stored = await Promise.all(
      platforms.map(async ({ catalog }) => (await catalog.listStacks()).stacks.map(({ id }) => id)),
    )
    expect(stored).toEqual([[shop], [payments], [site]])
  })

  test('lists, queries and reads the stacks of all groups', async () => {
    const list = await call('GET /v1/stacks?last=true')
    expect(list.body).toMatchObject({
      items: [{ id: payments }, { id: shop }, { id: site }],
      unreadable: [],
    })
    expect((await call('GET /v1/stacks?project=site')).body).toMatchObject({
      items: [{ id: site }],
    })
    const sql = 'select project from stacks order by project'
    expect((await call('POST /v1/query', { sql })).body).toMatchObject({
      rows: [['pay-eu'], ['shop'], ['site']],
    })
    expect((await call('GET /v1/drift')).body).toMatchObject({
      items: [{ stack: 'pay-eu/dev' }, { stack: 'shop/dev' }, { stack: 'site/dev' }],
    })
    expect((await call('GET /v1/stacks/site/dev')).body).toMatchObject({ id: site })
  })

  test('a forged record of one group leads to no record of another group', async () => {
    const [, paymentsPlatform, webPlatform] = platforms
    if (paymentsPlatform === undefined || webPlatform === undefined) throw new Error('no platform')
    const { catalog, clock } = paymentsPlatform
    const { deployment } = await catalog.start(payments, {
      command: 'up',
      message: '',
      at: clock.now(),
    })
    expect((await call('GET /v1/stacks')).body).toMatchObject({
      items: [{ id: payments, current: deployment }, {}, {}],
    })
    // A program of the group `web` writes a stack and a deployment of the group `payments`.
    await webPlatform.catalog.createStack(payments, clock.now())
    const forged = await webPlatform.catalog.start(payments, {
      command: 'destroy',
      message: 'forged',
      at: clock.now(),
    })
    expect(forged.deployment).toBe(deployment)
    const holder = { host: 'x', pid: 1, started: 'one', who: 'forged' }
    for (const { control } of [paymentsPlatform, webPlatform])
      await control.create(deployment, holder)
    const history = await call('GET /v1/stacks/pay-eu/dev/deployments')
    expect(JSON.stringify(history.body)).not.toContain('forged')
    expect((await call('GET /v1/stacks')).body).toMatchObject({
      items: [{ id: payments, current: deployment }, { id: shop }, { id: site }],
      unreadable: [],
    })
    expect((await call('POST /v1/stacks/pay-eu/dev/deployments/1/cancel', {})).status).toBe(202)
    const stops = await Promise.all(
      [paymentsPlatform, webPlatform].map(({ control }) => control.read(deployment)),
    )
    expect(stops).toMatchObject([{ stop: 'graceful' }, { stop: 'none' }])
  })

  test('a stack whose records are in another group is listed as unreadable', async () => {
    const moved = stackIdOf('pay-old', 'dev')
    await platforms[0]?.catalog.createStack(moved, Date.now() as never)
    expect((await call('GET /v1/stacks')).body).toMatchObject({
      items: [{ id: payments }, { id: shop }, { id: site }],
      unreadable: [{ id: moved, code: 'STACK_GROUP_DIFFERENT' }],
    })
  })

  test('documents of all stacks belong to the group of the header, tokens to all groups', async () => {
    const draft = {
      url: 'https://example.com/hook',
      format: 'signed',
      secret: 'x'.repeat(16),
      events: ['failed'],
    }
    const put = await call('PUT /v1/notifications/ops', draft, 'web')
    expect(put, JSON.stringify(put.body)).toMatchObject({ status: 200 })
    const countIn = async (group?: string) =>
      ((await call('GET /v1/notifications', undefined, group)).body['items'] as object[]).length
    expect([
      await countIn(),
      await countIn('payments'),
      await countIn('web'),
      await countIn('default'),
    ]).toEqual([0, 0, 1, 0])
    expect(await call('GET /v1/notifications', undefined, 'none')).toMatchObject({
      status: 404,
      body: { code: 'GROUP_UNKNOWN', message: expect.stringContaining('default, payments, web') },
    })
    expect(await call('GET /v1/tokens', undefined, 'web')).toMatchObject({
      body: { items: [{ name: 'admin' }] },
    })
  })

  test('a stack is not renamed into another group, and a webhook names stacks of its group', async () => {
    const rename = { project: 'site', stack: 'taken' }
    expect(await call('POST /v1/stacks/pay-eu/dev/rename', rename)).toMatchObject({
      body: { code: 'STACK_GROUP_DIFFERENT' },
    })
    const rule = { on: 'push', repository: 'acme/site', branches: ['main'], stack: site }
    const draft = { form: 'signed', secrets: ['x'.repeat(16)], rules: [rule] }
    for (const [group, status] of [
      [undefined, 'STACK_GROUP_DIFFERENT'],
      ['payments', 'STACK_GROUP_DIFFERENT'],
      ['web', undefined],
    ] as const)
      expect((await call('PUT /v1/webhooks/main', draft, group)).body['code']).toBe(status)
  })
})

test('only an administrator of the installation gets the names of all groups', async () => {
  expect((await call('GET /v1/whoami')).body['groups']).toEqual([
    'default',
    ...stackGroups.map(({ name }) => name),
  ])
  const platform = platforms[0]
  if (platform === undefined) throw new Error('no platform')
  const limited = await createToken(platform, { name: 'a', role: 'admin', stacks: ['shop/*'] })
  const reader = await createToken(platform, { name: 'b', role: 'read' })
  for (const { token: text } of [limited, reader]) {
    const response = await api.call(text, 'GET /v1/whoami')
    expect(await response.json()).not.toHaveProperty('groups')
  }
})
