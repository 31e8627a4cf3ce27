import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { createError } from '../../shared/errors/error.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { type EpochMs, type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { bodySignatureOf, signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import {
  sealWebhook,
  webhookDraft,
  webhookKeyOf,
} from '../../shared/triggers/webhooks/webhook-document.ts'
import type { WebhookServer } from './answer-webhook.ts'
import { serveWebhook } from './serve-webhook.ts'

const secret = 'a secret of sixteen characters and more'
const commit = '0123456789abcdef0123456789abcdef01234567'
let home = ''
let platform: EmbeddedPlatform
let nudged: StackId[] = []
let count = 0

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-webhook-'))
  platform = await openEmbeddedPlatform({ home })
})
afterAll(async () => {
  await platform.close()
  rmSync(home, { recursive: true })
})

const createServer = (more: Partial<WebhookServer> = {}): WebhookServer => ({
  ...platform,
  nudges: { nudge: async stack => void nudged.push(stack) },
  execute: 'functions',
  ...more,
})

/** Creates a webhook with rules for one stack and, if `hasStack`, that stack. */
async function createWebhook(form: 'github' | 'signed' = 'github', hasStack = true) {
  count += 1
  nudged = []
  const name = `hook-${count}`
  const stack = stackIdOf('shop', `s${count}`)
  if (hasStack) await platform.catalog.createStack(stack, 1 as EpochMs)
  const rules = [
    { on: 'push', repository: 'acme/shop', branches: ['main'], stack, folder: 'infra' },
    { on: 'pull-request', repository: 'acme/shop', stack },
  ]
  const draft = webhookDraft.parse({ form, secrets: [secret], rules })
  await platform.documents.put(
    webhookKeyOf(name),
    await sealWebhook(platform.sealing, name, draft),
    0,
  )
  return { name, stack }
}

const push = { event: 'push', repository: 'acme/shop', branch: 'main', commit }

/** Returns an event as Lambda passes it. */
function eventOf(
  name: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  isBase64Encoded = true,
) {
  return {
    version: '2.0',
    rawPath: `/hooks/${name}`,
    requestContext: { http: { method: 'POST' } },
    headers,
    isBase64Encoded,
    body: isBase64Encoded ? Buffer.from(body).toString('base64') : body,
  }
}

function signedEventOf(
  name: string,
  payload: object = push,
  id = `d${(count += 1)}`,
  key = secret,
) {
  const body = JSON.stringify(payload)
  const timestamp = String(Math.floor(Date.now() / 1000))
  return eventOf(name, body, {
    'Antichain-Delivery': id,
    'Antichain-Timestamp': timestamp,
    'Antichain-Signature': `v1=${signatureOf(key, timestamp, body)}`,
  })
}

const answer = async (event: unknown, more: Partial<WebhookServer> = {}) => {
  const { statusCode, headers, body } = await serveWebhook(createServer(more), event)
  return { statusCode, headers, body: JSON.parse(body) }
}
const listWaiting = (stack: StackId) => platform.requests.listWaiting(stack, 10)

test('a push signed by GitHub creates one request for the commit, even if it is repeated', async () => {
  const { name, stack } = await createWebhook()
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    before: '0'.repeat(40),
    after: commit,
    created: false,
    deleted: false,
    forced: false,
    repository: { full_name: 'acme/shop', pushed_at: Math.floor(Date.now() / 1000) },
    head_commit: { id: commit },
    commits: [{ added: ['ä.ts'], removed: [], modified: [] }],
  })
  const event = eventOf(name, body, {
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': 'one',
    'X-Hub-Signature-256': `sha256=${bodySignatureOf(secret, body)}`,
  })
  const first = await answer(event)
  expect(first).toMatchObject({
    statusCode: 202,
    body: { kind: 'accepted', asked: [{ stack, operation: 'up' }] },
  })
  expect(nudged).toEqual([stack])
  expect(await answer(event)).toMatchObject({ statusCode: 200, body: { kind: 'repeated' } })
  expect(await listWaiting(stack)).toMatchObject([
    {
      stack,
      dryRun: false,
      by: `webhook ${name}`,
      options: { command: 'up', execute: 'functions' },
      program: {
        kind: 'repository',
        repository: 'acme/shop',
        commit,
        folder: 'infra',
        ignoreScripts: false,
        webhook: name,
      },
      origin: { kind: 'webhook', webhook: name, ref: 'branch main', commit },
    },
  ])
  // A body that arrives as text has the same bytes.
  expect(await answer({ ...event, body, isBase64Encoded: false })).toMatchObject({
    body: { kind: 'repeated' },
  })
})

test('a delivery that is repeated after a crash before its mark creates no second request', async () => {
  const { name, stack } = await createWebhook('signed')
  const failingNudges = { nudge: () => Promise.reject(new Error('dead')) }
  const event = signedEventOf(name, push, 'same')
  expect((await answer(event, { nudges: failingNudges })).statusCode).toBe(500)
  expect(await listWaiting(stack)).toHaveLength(1)
  expect((await answer(signedEventOf(name, push, 'same'))).statusCode).toBe(202)
  expect(await listWaiting(stack)).toHaveLength(1)
  expect(nudged).toEqual([stack])
})

test('a pull request creates a preview request', async () => {
  const { name, stack } = await createWebhook('signed')
  const pullRequest = { ...push, event: 'pull-request', number: 7, foreign: false }
  expect((await answer(signedEventOf(name, pullRequest))).statusCode).toBe(202)
  expect(await listWaiting(stack)).toMatchObject([
    { dryRun: true, options: { command: 'up' }, origin: { pullRequest: 7, ref: 'pull request 7' } },
  ])
})

test('a refused delivery creates no request, and its answer has an error code and a hint', async () => {
  const { name, stack } = await createWebhook('signed')
  const long = 'x'.repeat(triggerLimits.webhookBytesMax + 10)
  const refusals: readonly (readonly [unknown, number, string])[] = [
    [signedEventOf(name, push, 'a', 'another secret of the same length'), 401, 'WEBHOOK_REFUSED'],
    [eventOf(name, '{}', {}), 401, 'WEBHOOK_REFUSED'],
    [signedEventOf('nobody'), 401, 'WEBHOOK_REFUSED'],
    [signedEventOf('nobody/else'), 404, 'WEBHOOK_UNKNOWN'],
    [
      { ...signedEventOf(name), requestContext: { http: { method: 'GET' } } },
      404,
      'WEBHOOK_UNKNOWN',
    ],
    [eventOf(name, long, {}), 413, 'WEBHOOK_TOO_LARGE'],
    [eventOf(name, long, {}, false), 413, 'WEBHOOK_TOO_LARGE'],
    [signedEventOf(name, { event: 'push' }), 422, 'WEBHOOK_MALFORMED'],
  ]
  for (const [event, statusCode, code] of refusals) {
    const refused = await answer(event)
    expect(refused).toMatchObject({ statusCode, body: { code } })
    expect(Object.keys(refused.body).toSorted()).toEqual(['code', 'hint', 'message'])
  }
  expect(await listWaiting(stack)).toEqual([])
})

test('an unknown name, an unsigned delivery and a wrong signature get the same answer', async () => {
  const { name } = await createWebhook('signed')
  const answers = [
    await answer(signedEventOf('nobody')),
    await answer(eventOf('nobody', '{}', {})),
    await answer(eventOf(name, '{}', {})),
    await answer(signedEventOf(name, push, 'a', 'another secret of the same length')),
  ]
  expect(new Set(answers.map(one => JSON.stringify(one))).size).toBe(1)
})

test('a missing stack is reported, and the same delivery is accepted when the stack exists', async () => {
  const { name, stack } = await createWebhook('signed', false)
  expect(await answer(signedEventOf(name, push, 'late'))).toMatchObject({
    statusCode: 422,
    body: { code: 'STACK_NOT_FOUND' },
  })
  expect(await listWaiting(stack)).toEqual([])
  await platform.catalog.createStack(stack, 1 as EpochMs)
  expect((await answer(signedEventOf(name, push, 'late'))).statusCode).toBe(202)
})

test('an internal error reveals only its code', async () => {
  const { name } = await createWebhook('signed')
  const failingRequests = {
    put: () => Promise.reject(createError('STORE_UNAVAILABLE', 'table x at host y')),
  }
  const failed = await answer(signedEventOf(name), { requests: failingRequests })
  expect(failed).toMatchObject({ statusCode: 503, headers: { 'retry-after': '30' } })
  expect(JSON.stringify(failed)).not.toContain('host y')
  const brokenRequests = { put: () => Promise.reject(new TypeError('x is undefined')) }
  expect(
    JSON.stringify(await answer(signedEventOf(name), { requests: brokenRequests })),
  ).not.toContain('undefined')
})

test('a webhook of a group is found by the name of the group only', async () => {
  const { name, stack } = await createWebhook('signed')
  const defaultHome = mkdtempSync(join(tmpdir(), 'antichain-webhook-'))
  const defaultPlatform = await openEmbeddedPlatform({ home: defaultHome })
  try {
    const defaultServer: WebhookServer = { ...createServer(), ...defaultPlatform }
    const group = { name: 'web', projects: ['shop'], ports: createServer() }
    const server = { ...defaultServer, nudges: createServer().nudges, otherGroups: [group] }
    const statusOf = async (path: string) =>
      (await serveWebhook(server, signedEventOf(path))).statusCode
    const [plain, other] = [await statusOf(name), await statusOf(`none~${name}`)]
    expect([plain, other]).toEqual([401, 401])
    expect(await listWaiting(stack)).toEqual([])
    expect(await statusOf(`web~${name}`)).toBe(202)
    expect(await listWaiting(stack)).toHaveLength(1)
    expect(await defaultPlatform.requests.listWaiting(stack, 10)).toEqual([])
  } finally {
    await defaultPlatform.close()
    rmSync(defaultHome, { recursive: true })
  }
})
