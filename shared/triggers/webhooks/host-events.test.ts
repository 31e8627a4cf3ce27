import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { EpochMs } from '../../records/ids.ts'
import { bodySignatureOf } from './webhook-signature.ts'
import { type WebhookFormName, webhookForms } from './webhook-forms.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const before = 'fedcba9876543210fedcba9876543210fedcba98'
const noCommit = '0'.repeat(40)
const secret = 'a secret of sixteen characters and more'
const now = Date.parse('2026-11-28T06:00:00Z') as EpochMs

/** The header that names the event, for each form. */
const eventHeaders = {
  gitlab: 'x-gitlab-event',
  bitbucket: 'x-event-key',
  'bitbucket-server': 'x-event-key',
  gitea: 'x-gitea-event',
} as const
type HostForm = keyof typeof eventHeaders

const read = (form: HostForm, event: string, body: object) =>
  webhookForms[form].read({
    headers: new Map([[eventHeaders[form], event]]),
    body: Buffer.from(JSON.stringify(body)),
  })

const gitlabPush = {
  object_kind: 'push',
  ref: 'refs/heads/main',
  before,
  after: commit,
  checkout_sha: commit,
  project: { id: 7, path_with_namespace: 'acme/web/shop' },
  total_commits_count: 1,
  commits: [{ id: commit, added: ['a.ts'], modified: ['b.ts'], removed: [] }],
}
const gitlabMerge = {
  object_kind: 'merge_request',
  project: { id: 7, path_with_namespace: 'acme/web/shop' },
  object_attributes: {
    iid: 3,
    action: 'open',
    target_branch: 'main',
    source_project_id: 7,
    target_project_id: 7,
    updated_at: '2026-11-28 05:59:00 UTC',
    last_commit: { id: commit },
  },
}
const bitbucketChange = (type: string, name: string) => ({
  old: null,
  new: { type, name, target: { hash: commit } },
})
const bitbucketPush = (...changes: object[]) => ({
  repository: { full_name: 'acme/shop' },
  push: { changes },
})
const bitbucketPull = (source: object | null) => ({
  repository: { full_name: 'acme/shop' },
  pullrequest: {
    id: 3,
    updated_on: '2026-11-28T05:59:00.123456+00:00',
    source: { branch: { name: 'x' }, commit: { hash: commit.slice(0, 12) }, repository: source },
    destination: { branch: { name: 'main' }, commit: { hash: before.slice(0, 12) } },
  },
})
const serverRepository = { slug: 'shop', project: { key: 'ACME' } }
const serverPush = (...changes: object[]) => ({
  eventKey: 'repo:refs_changed',
  date: '2026-11-28T15:59:00+1000',
  repository: serverRepository,
  changes,
})
const serverChange = (id: string, type = 'UPDATE') => ({
  ref: { id, displayId: 'x', type: 'BRANCH' },
  fromHash: before,
  toHash: type === 'DELETE' ? noCommit : commit,
  type,
})
const serverPull = (repository: object) => ({
  date: '2026-11-28T15:59:00+1000',
  pullRequest: {
    id: 3,
    fromRef: { id: 'refs/heads/x', latestCommit: commit, repository },
    toRef: { id: 'refs/heads/main', latestCommit: before, repository: serverRepository },
  },
})
const giteaPush = {
  ref: 'refs/heads/main',
  before,
  after: commit,
  total_commits: 1,
  commits: [{ id: commit, added: ['a.ts'], removed: null, modified: ['b.ts'] }],
  head_commit: { id: commit },
  repository: { full_name: 'acme/shop' },
}
const giteaPull = (head: string | undefined) => ({
  action: 'synchronized',
  number: 3,
  repository: { full_name: 'acme/shop' },
  pull_request: {
    updated_at: '2026-11-28T05:59:00Z',
    base: { ref: 'main' },
    head: { sha: commit, repo: head === undefined ? null : { full_name: head } },
  },
})
const paths = ['a.ts', 'b.ts']

describe('a push', () => {
  test('of GitLab is a push or tag of a project in groups', () => {
    const change = { repository: 'acme/web/shop', commit, paths }
    expect(read('gitlab', 'Push Hook', gitlabPush)).toEqual({
      kind: 'push',
      branch: 'main',
      ...change,
    })
    const tag = { ...gitlabPush, ref: 'refs/tags/v1', before: noCommit, after: before }
    // `after` is the annotated tag, and `checkout_sha` is its commit.
    expect(read('gitlab', 'Tag Push Hook', tag)).toMatchObject({ kind: 'tag', tag: 'v1', commit })
  })

  test.each([
    ['without all commits', { total_commits_count: 21 }],
    ['of a new branch', { before: noCommit }],
    ['without commits', { commits: [], total_commits_count: 0 }],
  ])('of GitLab %s has unknown paths', (_name, overrides) => {
    expect(read('gitlab', 'Push Hook', { ...gitlabPush, ...overrides })).toMatchObject({
      kind: 'push',
      paths: undefined,
    })
  })

  test('of Bitbucket can change several branches and tags', () => {
    const body = bitbucketPush(
      { new: null, old: {} },
      bitbucketChange('branch', 'main'),
      bitbucketChange('tag', 'v1'),
    )
    const change = { repository: 'acme/shop', commit, paths: undefined }
    expect(read('bitbucket', 'repo:push', body)).toEqual({
      kind: 'several',
      changes: [
        { kind: 'push', branch: 'main', ...change },
        { kind: 'tag', tag: 'v1', ...change },
      ],
    })
  })

  test('of Bitbucket Server has the time of its delivery', () => {
    const body = serverPush(serverChange('refs/heads/main'), serverChange('refs/tags/v1', 'ADD'))
    const changedAt = Date.parse('2026-11-28T05:59:00Z')
    const change = { repository: 'ACME/shop', commit, paths: undefined, changedAt }
    expect(read('bitbucket-server', 'repo:refs_changed', body)).toEqual({
      kind: 'several',
      changes: [
        { kind: 'push', branch: 'main', ...change },
        { kind: 'tag', tag: 'v1', ...change },
      ],
    })
  })

  test('of Gitea is a push or tag', () => {
    const change = { repository: 'acme/shop', commit, paths }
    expect(read('gitea', 'push', giteaPush)).toEqual({ kind: 'push', branch: 'main', ...change })
    const tag = { ...giteaPush, ref: 'refs/tags/v1', before: noCommit, commits: null }
    expect(read('gitea', 'push', tag)).toMatchObject({ kind: 'tag', tag: 'v1', paths: undefined })
    const long = { ...giteaPush, total_commits: 9 }
    expect(read('gitea', 'push', long)).toMatchObject({ paths: undefined })
  })

  test.each([
    ['gitlab', 'Push Hook', { ...gitlabPush, after: noCommit, checkout_sha: null }],
    ['bitbucket', 'repo:push', bitbucketPush({ new: null })],
    ['bitbucket-server', 'repo:refs_changed', serverPush(serverChange('refs/heads/x', 'DELETE'))],
    ['gitea', 'push', { ...giteaPush, after: noCommit }],
  ] as const)('of %s that deletes a branch is ignored', (form, event, body) => {
    expect(read(form, event, body)).toMatchObject({ kind: 'ignored' })
  })
})

describe('a pull request', () => {
  const changedAt = Date.parse('2026-11-28T05:59:00Z')
  const expected = { kind: 'pull-request', number: 3, branch: 'main', changedAt }

  test('of GitLab is a merge request', () => {
    const event = read('gitlab', 'Merge Request Hook', gitlabMerge)
    expect(event).toMatchObject({ ...expected, repository: 'acme/web/shop', isForeign: false })
  })

  test.each([
    [{ action: 'open' }, {}, 'pull-request'],
    [{ action: 'reopen' }, {}, 'pull-request'],
    [{ action: 'update', oldrev: before }, {}, 'pull-request'],
    [{ action: 'update' }, { draft: { previous: true, current: false } }, 'pull-request'],
    [{ action: 'update' }, { title: { previous: 'a', current: 'b' } }, 'ignored'],
    [{ action: 'merge' }, {}, 'ignored'],
    [{ action: undefined }, {}, 'ignored'],
  ])('of GitLab with %j and the changes %j counts as %s', (attributeChanges, changes, kind) => {
    const attributes = { ...gitlabMerge.object_attributes, ...attributeChanges }
    const body = { ...gitlabMerge, object_attributes: attributes, changes }
    expect(read('gitlab', 'Merge Request Hook', body)).toMatchObject({ kind })
  })

  test.each([
    ['bitbucket', 'pullrequest:created', bitbucketPull({ full_name: 'acme/shop' })],
    ['bitbucket', 'pullrequest:updated', bitbucketPull({ full_name: 'acme/shop' })],
    ['bitbucket-server', 'pr:opened', serverPull(serverRepository)],
    ['bitbucket-server', 'pr:from_ref_updated', serverPull(serverRepository)],
    ['gitea', 'pull_request', giteaPull('acme/shop')],
    ['gitea', 'pull_request_sync', giteaPull('acme/shop')],
  ] as const)('of %s arrives as %s', (form, event, body) => {
    expect(read(form, event, body)).toMatchObject({ kind: 'pull-request', number: 3 })
    expect(read(form, event, body)).toMatchObject({ branch: 'main', isForeign: false })
  })

  const foreignMerge = (source: number | null) => ({
    ...gitlabMerge,
    object_attributes: { ...gitlabMerge.object_attributes, source_project_id: source },
  })
  test.each([
    ['gitlab', 'Merge Request Hook', foreignMerge(8)],
    ['gitlab', 'Merge Request Hook', foreignMerge(null)],
    ['bitbucket', 'pullrequest:created', bitbucketPull({ full_name: 'x/shop' })],
    ['bitbucket', 'pullrequest:created', bitbucketPull(null)],
    ['bitbucket-server', 'pr:opened', serverPull({ slug: 's', project: { key: '~X' } })],
    ['gitea', 'pull_request', giteaPull('x/shop')],
    ['gitea', 'pull_request', giteaPull(undefined)],
  ] as const)('of %s (%s) with the commits of a fork is foreign: %#', (form, event, body) => {
    expect(read(form, event, body)).toMatchObject({ isForeign: true })
  })
})

test.each([
  ['gitlab', 'Push Hook', { ...gitlabPush, project: { path_with_namespace: 'a/../b' } }],
  ['gitlab', 'Push Hook', { ...gitlabPush, after: 'main' }],
  ['gitlab', 'Merge Request Hook', { ...gitlabMerge, project: { path_with_namespace: 'shop' } }],
  ['bitbucket', 'repo:push', { ...bitbucketPush(), repository: { full_name: 'a/b/c' } }],
  ['bitbucket', 'repo:push', bitbucketPush(...Array.from({ length: 101 }, () => ({ new: null })))],
  ['bitbucket-server', 'pr:opened', serverPull({ slug: '..', project: { key: 'A' } })],
  ['gitea', 'push', { ...giteaPush, repository: { full_name: 'a/b/c' } }],
] as const)('a body of %s (%s) with an invalid field is malformed: %#', (form, event, body) => {
  expect(() => read(form, event, body)).toThrow(
    expect.objectContaining({ code: 'WEBHOOK_MALFORMED' }),
  )
})

test.each([
  ['bitbucket-server', 'diagnostics:ping', 'ping'],
  ['gitlab', 'Pipeline Hook', 'ignored'],
  ['bitbucket', 'repo:fork', 'ignored'],
  ['gitea', 'create', 'ignored'],
] as const)('an event of %s named %s counts as %s', (form, event, kind) => {
  expect(read(form, event, { test: true })).toMatchObject({ kind })
})

/** Verifies a body with headers. Returns the code of the refusal, or undefined. */
function verify(
  form: WebhookFormName,
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[] = [secret],
): string | undefined {
  const request = { headers: new Map(Object.entries(headers)), body: Buffer.from('{}') }
  try {
    webhookForms[form].requireSignature(request)
    webhookForms[form].verify(request, { secrets, now })
    return undefined
  } catch (thrown) {
    return (thrown as { code?: string }).code
  }
}

describe('a signature', () => {
  const signature = bodySignatureOf(secret, '{}')
  test.each([
    ['bitbucket', 'x-hub-signature', `sha256=${signature}`],
    ['bitbucket-server', 'x-hub-signature', `sha256=${signature}`],
    ['gitea', 'x-gitea-signature', signature],
    ['gitlab', 'x-gitlab-token', secret],
  ] as const)('of %s is valid for one of the secrets only', (form, header, value) => {
    expect(verify(form, { [header]: value })).toBeUndefined()
    const older = 'another secret of the webhook'
    expect(verify(form, { [header]: value }, [older, secret])).toBeUndefined()
    expect(verify(form, { [header]: value }, [older])).toBe('WEBHOOK_REFUSED')
    expect(verify(form, { [header]: value.slice(0, -1) })).toBe('WEBHOOK_REFUSED')
    expect(verify(form, { [header]: `${value}0` })).toBe('WEBHOOK_REFUSED')
    expect(verify(form, { [header]: '' })).toBe('WEBHOOK_REFUSED')
    expect(verify(form, {})).toBe('WEBHOOK_REFUSED')
  })

  const key = Buffer.alloc(32, 7)
  const signingSecret = `whsec_${key.toString('base64')}`
  const signStandard = (seconds: number, signingKey = key) => ({
    'webhook-id': 'one',
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${createHmac('sha256', signingKey).update(`one.${seconds}.{}`).digest('base64')}`,
  })
  const nowSeconds = now / 1000

  test('of GitLab with a signing secret covers id, time and body', () => {
    const headers = signStandard(nowSeconds)
    expect(verify('gitlab', headers, [signingSecret])).toBeUndefined()
    const both = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }
    expect(verify('gitlab', both, [secret, signingSecret])).toBeUndefined()
    for (const change of [
      { 'webhook-id': 'two' },
      { 'webhook-timestamp': String(nowSeconds + 1) },
      { 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') },
    ])
      expect(verify('gitlab', { ...headers, ...change }, [signingSecret])).toBe('WEBHOOK_REFUSED')
    const foreign = signStandard(nowSeconds, Buffer.alloc(32, 8))
    expect(verify('gitlab', foreign, [signingSecret])).toBe('WEBHOOK_REFUSED')
  })

  test('of GitLab expires, and its secret is no token', () => {
    expect(verify('gitlab', signStandard(nowSeconds - 301), [signingSecret])).toBe('WEBHOOK_STALE')
    const token = { 'x-gitlab-token': signingSecret }
    expect(verify('gitlab', token, [signingSecret])).toBe('WEBHOOK_REFUSED')
  })
})

describe('the identity of a delivery of GitLab', () => {
  const identify = (headers: Readonly<Record<string, string>>, body = '{}') =>
    webhookForms.gitlab.identitiesOf({
      headers: new Map(Object.entries(headers)),
      body: Buffer.from(body),
    })

  test('is its id, so that a branch can change in the same way again', () => {
    const [first] = identify({ 'idempotency-key': 'a' })
    expect(identify({ 'idempotency-key': 'a' }, '{"x":1}')).toEqual([first])
    expect(identify({ 'idempotency-key': 'b' })).not.toEqual([first])
    expect(identify({ 'webhook-id': 'a', 'idempotency-key': 'b' })).toEqual([first])
  })

  test('contains the body if an older server sends no id', () => {
    const older = { 'x-gitlab-event-uuid': 'same in a chain of events' }
    expect(identify(older)).toEqual(identify(older))
    expect(identify(older)).not.toEqual(identify(older, '{"x":1}'))
  })
})
