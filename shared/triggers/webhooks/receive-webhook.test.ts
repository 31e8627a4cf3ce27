import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { triggerLimits } from '../../config/trigger-limits.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../platform/embedded/embedded-platform.ts'
import { createLogger } from '../../platform/system/logger.ts'
import { sealingContextOf } from '../../ports/documents.ts'
import type { EpochMs } from '../../records/ids.ts'
import { createWebhookRequest } from '../trigger-requests.ts'
import { type WebhookReception, receiveWebhook } from './receive-webhook.ts'
import type { RuleMatch } from './rules.ts'
import { bodySignatureOf, signatureOf } from './webhook-signature.ts'
import { sealWebhook, webhookDocument, webhookDraft, webhookKeyOf } from './webhook-document.ts'
import type { WebhookRequest } from './webhook-form.ts'
import type { WebhookFormName } from './webhook-forms.ts'

const secret = 'a secret of sixteen characters and more'
const commit = '0123456789abcdef0123456789abcdef01234567'
const stack = 'organization/shop/prod'
let home = ''
let platform: EmbeddedPlatform
let nowMs = Date.now()
let sent: RuleMatch[] = []
let failures = 0
let count = 0

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-webhooks-'))
  platform = await openEmbeddedPlatform({ home })
})
afterAll(async () => {
  await platform.close()
  rmSync(home, { recursive: true })
})
beforeEach(() => {
  sent = []
  failures = 0
  nowMs = Date.now()
})

/** Creates a webhook for each test, so that deliveries of other tests are unknown to it. */
async function putWebhook(form: WebhookFormName, overrides: object = {}): Promise<string> {
  count += 1
  const name = `hook-${count}`
  const rules = [
    { on: 'push', repository: 'acme/shop', branches: ['main'], stack },
    { on: 'tag', repository: 'acme/shop', tags: ['v*'], stack },
    { on: 'pull-request', repository: 'acme/shop', stack },
  ]
  const draft = webhookDraft.parse({ form, secrets: [secret], rules, ...overrides })
  const value = await sealWebhook(platform.sealing, name, draft)
  await platform.documents.put(webhookKeyOf(name), value, 0)
  return name
}

const receive = (name: string, request: WebhookRequest): Promise<WebhookReception> =>
  receiveWebhook(
    {
      documents: platform.documents,
      marks: platform.marks,
      sealing: platform.sealing,
      clock: { now: () => nowMs as EpochMs },
      send: async ruleMatches => {
        if (failures > 0) {
          failures -= 1
          throw new Error('the queue is not there')
        }
        sent.push(...ruleMatches)
      },
    },
    name,
    request,
  )

const pushBody = (overrides: object = {}) => ({
  ref: 'refs/heads/main',
  before: '0'.repeat(40),
  after: commit,
  created: false,
  deleted: false,
  forced: false,
  repository: { full_name: 'acme/shop', pushed_at: Math.floor(nowMs / 1000) },
  head_commit: { id: commit },
  commits: [{ added: ['a.ts'], removed: [], modified: ['b.ts'] }],
  ...overrides,
})
const pullBody = (overrides: object = {}) => ({
  action: 'opened',
  number: 7,
  repository: { full_name: 'acme/shop' },
  pull_request: {
    updated_at: new Date(nowMs).toISOString(),
    base: { ref: 'main' },
    head: { sha: commit, repo: { full_name: 'acme/shop' } },
  },
  ...overrides,
})

let deliveries = 0
function createGithubDelivery(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WebhookRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  deliveries += 1
  return {
    headers: new Map(
      Object.entries({
        'x-github-event': 'push',
        'x-github-delivery': `delivery-${deliveries}`,
        'x-hub-signature-256': `sha256=${bodySignatureOf(secret, text)}`,
        ...headers,
      }),
    ),
    body: Buffer.from(text),
  }
}

function createSignedDelivery(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WebhookRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const timestamp = headers['antichain-timestamp'] ?? String(Math.floor(nowMs / 1000))
  deliveries += 1
  return {
    headers: new Map(
      Object.entries({
        'antichain-delivery': `delivery-${deliveries}`,
        'antichain-timestamp': timestamp,
        'antichain-signature': `v1=${signatureOf(secret, timestamp, text)}`,
        ...headers,
      }),
    ),
    body: Buffer.from(text),
  }
}

const signedPush = { event: 'push', repository: 'acme/shop', branch: 'main', commit }
const refused = { code: 'WEBHOOK_REFUSED' }

describe('deliveries of GitHub', () => {
  test('a push requests a deployment of the commit', async () => {
    const name = await putWebhook('github')
    expect(await receive(name, createGithubDelivery(pushBody()))).toMatchObject({
      kind: 'accepted',
    })
    expect(sent).toEqual([
      {
        stack,
        operation: 'up',
        program: {
          kind: 'commit',
          repository: 'acme/shop',
          commit,
          folder: '',
          ignoreScripts: false,
        },
        ref: 'branch main',
        replyTarget: { repository: 'acme/shop', commit },
      },
    ])
  })

  test('a pull request requests a preview with a reply to the pull request', async () => {
    const name = await putWebhook('github')
    const event = { 'x-github-event': 'pull_request' }
    expect(await receive(name, createGithubDelivery(pullBody(), event))).toMatchObject({
      kind: 'accepted',
    })
    expect(sent).toMatchObject([{ operation: 'preview', replyTarget: { commit, pullRequest: 7 } }])
  })

  test('the commit of an annotated tag is the tagged one', async () => {
    const name = await putWebhook('github')
    await receive(
      name,
      createGithubDelivery(pushBody({ ref: 'refs/tags/v1', after: 'f'.repeat(40) })),
    )
    expect(sent).toMatchObject([{ program: { commit } }])
  })

  test.each<[string, string, object]>([
    ['ping', 'pong', { zen: 'Keep it simple.' }],
    ['create', 'ignored', { ref: 'v1', ref_type: 'tag' }],
    ['workflow_run', 'ignored', {}],
    ['push', 'ignored', { deleted: true, after: '0'.repeat(40), head_commit: null }],
    ['push', 'ignored', { ref: 'refs/heads/other' }],
    ['push', 'ignored', { ref: 'refs/notes/x' }],
    ['push', 'ignored', { ref: 'refs/heads/a b' }],
    ['push', 'ignored', { repository: { full_name: 'other/shop' } }],
    ['pull_request', 'ignored', { action: 'closed' }],
    ['pull_request', 'ignored', { action: 'labeled' }],
    [
      'pull_request',
      'ignored',
      {
        pull_request: {
          base: { ref: 'main' },
          head: { sha: commit, repo: { full_name: 'evil/shop' } },
        },
      },
    ],
    [
      'pull_request',
      'ignored',
      { pull_request: { base: { ref: 'main' }, head: { sha: commit, repo: null } } },
    ],
  ])(
    'the event %s is answered with %s, and requests nothing: %j',
    async (event, kind, overrides) => {
      const name = await putWebhook('github')
      const body = event === 'push' ? pushBody(overrides) : { ...pullBody(), ...overrides }
      expect(
        (await receive(name, createGithubDelivery(body, { 'x-github-event': event }))).kind,
      ).toBe(kind)
      expect(sent).toEqual([])
    },
  )

  test('changed files that GitHub lists incompletely pass every path filter, and removed files count', async () => {
    const paths = ['c/**']
    const rules = [{ on: 'push', repository: 'acme/shop', branches: ['main'], stack, paths }]
    const name = await putWebhook('github', { rules })
    expect((await receive(name, createGithubDelivery(pushBody()))).kind).toBe('ignored')
    for (const overrides of [
      { forced: true },
      { created: true },
      { commits: [] },
      { commits: Array.from({ length: triggerLimits.pushCommitsMax }, () => ({})) },
      { commits: [{ removed: ['c/d'] }] },
    ])
      expect((await receive(name, createGithubDelivery(pushBody(overrides)))).kind).toBe('accepted')
  })
})

describe('deliveries of the signed form', () => {
  test('a push and a tag request deployments, and a pull request requests a preview', async () => {
    const name = await putWebhook('signed')
    expect((await receive(name, createSignedDelivery({ event: 'ping' }))).kind).toBe('pong')
    await receive(name, createSignedDelivery(signedPush))
    await receive(
      name,
      createSignedDelivery({ event: 'tag', repository: 'acme/shop', tag: 'v1', commit }),
    )
    const pull = { ...signedPush, event: 'pull-request', number: 3, foreign: false }
    await receive(name, createSignedDelivery(pull))
    expect(sent.map(({ operation }) => operation)).toEqual(['up', 'up', 'preview'])
  })

  test('a pull request is foreign unless it states otherwise', async () => {
    const name = await putWebhook('signed')
    const pull = { ...signedPush, event: 'pull-request', number: 3 }
    expect((await receive(name, createSignedDelivery(pull))).kind).toBe('ignored')
  })

  test.each([-triggerLimits.replayWindowMs, triggerLimits.replayWindowMs])(
    'a delivery with a signature time %i ms away is accepted, and one a second further away is stale',
    async awayMs => {
      nowMs = Math.floor(nowMs / 1000) * 1000
      const name = await putWebhook('signed')
      const timestampHeaderAfter = (ms: number) => ({
        'antichain-timestamp': String((nowMs + ms) / 1000),
      })
      expect(
        (await receive(name, createSignedDelivery(signedPush, timestampHeaderAfter(awayMs)))).kind,
      ).toBe('accepted')
      const further = createSignedDelivery(
        signedPush,
        timestampHeaderAfter(awayMs + Math.sign(awayMs) * 1000),
      )
      await expect(receive(name, further)).rejects.toMatchObject({ code: 'WEBHOOK_STALE' })
    },
  )
})

describe('threats', () => {
  test.each(['github', 'signed'] as const)(
    '%s: a delivery without a valid signature is refused',
    async form => {
      const name = await putWebhook(form)
      const createDelivery = form === 'github' ? createGithubDelivery : createSignedDelivery
      const body = form === 'github' ? pushBody() : signedPush
      const good = createDelivery(body)
      const withoutHeader = (header: string) => ({
        ...good,
        headers: new Map([...good.headers].filter(([name]) => name !== header)),
      })
      for (const header of good.headers.keys())
        if (header !== 'x-github-event' && !header.endsWith('delivery'))
          await expect(receive(name, withoutHeader(header))).rejects.toMatchObject(refused)
      const signatureName = [...good.headers.keys()].find(name => name.includes('signature')) ?? ''
      const right = good.headers.get(signatureName) ?? ''
      for (const wrong of [
        '',
        'sha256=',
        'v1=',
        right.slice(0, -1),
        `${right}0`,
        right.toUpperCase(),
        right.replace(/.$/, last => (last === '0' ? '1' : '0')),
        `${right.split('=')[0]}=${'0'.repeat(64)}`,
        `sha1=${'0'.repeat(40)}`,
        'ü'.repeat(64),
      ]) {
        const headers = new Map([...good.headers, [signatureName, wrong]])
        await expect(receive(name, { ...good, headers })).rejects.toMatchObject(refused)
      }
      expect(sent).toEqual([])
      expect((await receive(name, good)).kind).toBe('accepted')
    },
  )

  test('a delivery with another secret or a changed body is refused', async () => {
    const name = await putWebhook('github')
    const foreignSignature = `sha256=${bodySignatureOf('another secret of sixteen', '{}')}`
    const forged = createGithubDelivery('{}', { 'x-hub-signature-256': foreignSignature })
    await expect(receive(name, forged)).rejects.toMatchObject(refused)
    const good = createGithubDelivery(pushBody())
    const body = Buffer.from(good.body.toString().replace('refs/heads/main', 'refs/heads/prod'))
    await expect(receive(name, { ...good, body })).rejects.toMatchObject(refused)
  })

  test('a signature of the signed form is invalid for another time', async () => {
    const name = await putWebhook('signed')
    const good = createSignedDelivery(signedPush)
    const headers = new Map([
      ...good.headers,
      ['antichain-timestamp', String(Math.floor(nowMs / 1000) + 1)],
    ])
    await expect(receive(name, { ...good, headers })).rejects.toMatchObject(refused)
    for (const timestamp of ['', 'now', '1e9', '-1', '1.5', '9'.repeat(30)])
      await expect(
        receive(name, createSignedDelivery(signedPush, { 'antichain-timestamp': timestamp })),
      ).rejects.toMatchObject(refused)
  })

  test('both secrets are valid during a rotation, and no third one', async () => {
    const previousSecret = 'the secret before that, also long'
    const name = await putWebhook('github', { secrets: [secret, previousSecret] })
    const body = JSON.stringify(pushBody())
    const signWith = (key: string) =>
      createGithubDelivery(body, { 'x-hub-signature-256': `sha256=${bodySignatureOf(key, body)}` })
    await expect(receive(name, signWith('a third secret that is long'))).rejects.toMatchObject(
      refused,
    )
    expect((await receive(name, signWith(previousSecret))).kind).toBe('accepted')
  })

  test.each(['github', 'signed'] as const)('%s: a delivery starts one deployment', async form => {
    const name = await putWebhook(form)
    const createDelivery = form === 'github' ? createGithubDelivery : createSignedDelivery
    const delivery = createDelivery(form === 'github' ? pushBody() : signedPush)
    expect((await receive(name, delivery)).kind).toBe('accepted')
    expect((await receive(name, delivery)).kind).toBe('repeated')
    // The id is not signed, so an attacker who replays a delivery can change it. A digest of the
    // signed part still recognizes the delivery.
    const replayed = new Map(
      [...delivery.headers].map(([k, v]) => [k, /delivery/.test(k) ? 'x' : v]),
    )
    expect((await receive(name, { ...delivery, headers: replayed })).kind).toBe('repeated')
    expect(sent).toHaveLength(1)
  })

  test('a delivery of Bitbucket with several changes requests a deployment for each', async () => {
    const name = await putWebhook('bitbucket')
    const changes = ['branch main', 'branch other', 'tag v1'].map(text => {
      const [type, ref] = text.split(' ')
      return { new: { type, name: ref, target: { hash: commit } } }
    })
    const body = JSON.stringify({ repository: { full_name: 'acme/shop' }, push: { changes } })
    const headers = new Map([
      ['x-event-key', 'repo:push'],
      ['x-request-uuid', 'one'],
      ['x-hub-signature', `sha256=${bodySignatureOf(secret, body)}`],
    ])
    await receive(name, { headers, body: Buffer.from(body) })
    const context = { requestedAt: nowMs as EpochMs, execute: 'here' } as const
    const keys = sent.map(
      ruleMatch => createWebhookRequest(ruleMatch, { webhook: name, delivery: 'd' }, context).key,
    )
    expect(sent.map(({ ref }) => ref)).toEqual(['branch main', 'tag v1'])
    expect(keys).toEqual([`webhook ${name} d`, `webhook ${name} d 2`])
  })

  test('of concurrent deliveries of one change, only one requests the deployment', async () => {
    const name = await putWebhook('github')
    const delivery = createGithubDelivery(pushBody())
    const kinds = await Promise.all(
      [1, 2, 3, 4].map(async () => (await receive(name, delivery)).kind),
    )
    expect(kinds.filter(kind => kind === 'accepted')).toHaveLength(1)
    expect(sent).toHaveLength(1)
  })

  test('a delivery whose request could not be sent may be repeated', async () => {
    const name = await putWebhook('github')
    const delivery = createGithubDelivery(pushBody())
    failures = 1
    await expect(receive(name, delivery)).rejects.toThrow('the queue')
    expect((await receive(name, delivery)).kind).toBe('accepted')
    expect((await receive(name, delivery)).kind).toBe('repeated')
  })

  test('a delivery of GitHub cannot be replayed after its mark has expired', async () => {
    const name = await putWebhook('github')
    const delivery = createGithubDelivery(pushBody())
    nowMs += triggerLimits.deliveryRetentionMs + 1000
    await expect(receive(name, delivery)).rejects.toMatchObject({ code: 'WEBHOOK_STALE' })
  })

  test.each(['github', 'signed'] as const)(
    '%s: a delivery of one webhook is refused by another one with another secret',
    async form => {
      const overrides = { secrets: ['another secret of sixteen characters'] }
      const [first, other] = [await putWebhook(form), await putWebhook(form, overrides)]
      const delivery =
        form === 'github' ? createGithubDelivery(pushBody()) : createSignedDelivery(signedPush)
      await expect(receive(other, delivery)).rejects.toMatchObject(refused)
      expect(sent).toEqual([])
      expect((await receive(first, delivery)).kind).toBe('accepted')
      // The owner of the webhooks chooses their secrets.
      expect((await receive(await putWebhook(form), delivery)).kind).toBe('accepted')
    },
  )

  test('a delivery of one webhook is refused by another one with another form', async () => {
    const [githubHook, signedHook] = [await putWebhook('github'), await putWebhook('signed')]
    await expect(receive(signedHook, createGithubDelivery(pushBody()))).rejects.toMatchObject(
      refused,
    )
    await expect(receive(githubHook, createSignedDelivery(signedPush))).rejects.toMatchObject(
      refused,
    )
    await expect(receive('none', createGithubDelivery(pushBody()))).rejects.toMatchObject(refused)
  })

  test('a sealed secret that was copied from another webhook cannot be decrypted', async () => {
    const other = await platform.documents.get(webhookKeyOf(await putWebhook('github')))
    const { secrets } = webhookDocument.parse(other?.value)
    const name = await putWebhook('github')
    const stored = await platform.documents.get(webhookKeyOf(name))
    const mixed = { ...webhookDocument.parse(stored?.value), secrets }
    expect(await platform.documents.put(webhookKeyOf(name), mixed, 1)).toBe(2)
    const reception = receive(name, createGithubDelivery(pushBody()))
    await expect(reception).rejects.toMatchObject({ code: 'SEALED_UNREADABLE' })
  })

  test('a body that is too large is refused before all other checks', async () => {
    const body = Buffer.alloc(triggerLimits.webhookBytesMax + 1, ' ')
    const large = { ...createGithubDelivery('{}'), body }
    await expect(receive('none', large)).rejects.toMatchObject({ code: 'WEBHOOK_TOO_LARGE' })
  })

  test.each([
    'no json',
    '[]',
    'null',
    '"x"',
    '{}',
    '{"__proto__":{"ref":"refs/heads/main"}}',
    JSON.stringify(pushBody({ after: 'main; rm -rf /' })),
    JSON.stringify(pushBody({ repository: { full_name: '../../etc' } })),
    JSON.stringify(pushBody({ repository: { full_name: 'a/..' } })),
    JSON.stringify(pushBody({ repository: { full_name: 'a/b/c' } })),
    JSON.stringify(pushBody({ commits: 'none' })),
    `${'['.repeat(100_000)}`,
  ])('a signed body with an invalid format is malformed: %#', async text => {
    const name = await putWebhook('github')
    await expect(receive(name, createGithubDelivery(text))).rejects.toMatchObject({
      code: 'WEBHOOK_MALFORMED',
    })
  })

  test('text of a body cannot start a new line or move the cursor in a log', async () => {
    const name = await putWebhook('github')
    const evil = 'x\n{"level":"error","event":"forged"}\r\u001b[2J\u202e\u2028'
    const lines: string[] = []
    const log = createLogger({ level: 'debug', write: line => lines.push(line) })
    const refusals: unknown[] = [
      await receive(name, createGithubDelivery({}, { 'x-github-event': evil })),
      await receive(
        name,
        createGithubDelivery(pullBody({ action: evil }), { 'x-github-event': 'pull_request' }),
      ),
      await receive(name, createGithubDelivery(pushBody({ ref: `refs/heads/${evil}` }))),
      await receive(evil, createGithubDelivery({})).catch(String),
      await receive(
        name,
        createGithubDelivery({ ...pushBody(), commits: [{ added: evil }] }),
      ).catch(String),
      await receive(
        await putWebhook('signed'),
        createSignedDelivery({ ...signedPush, [evil]: 1 }),
      ).catch(String),
    ]
    for (const refusal of refusals) {
      const text =
        typeof refusal === 'string' ? refusal : String(Object.values(refusal as object).join(' '))
      expect(text).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
      log.write('info', 'webhook.received', { text })
    }
    expect(lines).toHaveLength(refusals.length)
    for (const line of lines) expect(line.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
  })

  test('a short secret is refused', async () => {
    await expect(putWebhook('github', { secrets: ['fifteen letters'] })).rejects.toThrow()
    await putWebhook('github', { secrets: ['sixteen letters!'] })
  })

  test('secret and credential are not stored in plaintext', async () => {
    const name = await putWebhook('github', { credential: 'ghp_credential' })
    const stored = await platform.documents.get(webhookKeyOf(name))
    const text = JSON.stringify(stored)
    expect(text).not.toContain(secret)
    expect(text).not.toContain('ghp_credential')
    const { credential = '' } = webhookDocument.parse(stored?.value)
    const opened = platform.sealing.open(credential, sealingContextOf(webhookKeyOf(name)))
    expect(await opened).toBe('ghp_credential')
  })

  test('the error of an invalid webhook document names the place, and no delivery is accepted', async () => {
    const key = webhookKeyOf('wrong')
    await platform.documents.put(key, { form: 'github', secrets: ['x'], rules: [{}] }, 0)
    await expect(receive('wrong', createGithubDelivery(pushBody()))).rejects.toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: expect.stringContaining('rules.0'),
    })
  })
})
