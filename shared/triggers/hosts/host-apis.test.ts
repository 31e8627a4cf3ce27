import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startHttpReceiver } from '../outbound/local-receiver.fixture.ts'
import type { WebhookFormName } from '../webhooks/webhook-forms.ts'
import type { CommitStatus } from './host-api.ts'
import { hostApis, repositoryArchiveUrlOf } from './host-apis.ts'
import { createHostReplies, type RepliesPort } from './host-replies.ts'

const commit = 'a'.repeat(40)
const status: CommitStatus = { state: 'failure', context: 'antichain prod', description: 'no' }
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
beforeAll(async () => {
  receiver = await startHttpReceiver()
})
afterAll(() => receiver.close())
beforeEach(() => {
  receiver.received.splice(0)
  receiver.state.answer = () => ({ status: 201, body: '{}' })
})

function openReplies(form: WebhookFormName, credential = 'the-token'): RepliesPort {
  const host = hostApis[form]
  if (host.replies === undefined) throw new Error(`${form} has no replies`)
  const { outbound, origin } = receiver
  const apiUrl = `${origin}/base/`
  return createHostReplies({ outbound, host, calls: host.replies, apiUrl, credential })
}
const listCalls = () => receiver.received.map(({ method, url }) => `${method} ${url}`)
const readLastBody = () => JSON.parse(receiver.received.at(-1)?.body ?? '{}') as unknown

test.each([
  ['github', 'a/b', `api.h.test/x/repos/a/b/tarball/${commit}`],
  ['gitlab', 'a/b/c', `api.h.test/x/projects/a%2Fb%2Fc/repository/archive.tar.gz?sha=${commit}`],
  ['bitbucket', 'a/b', `h.test/a/b/get/${commit}.tar.gz`],
  ['bitbucket-server', 'A/b', `api.h.test/x/api/latest/projects/A/repos/b/archive?at=${commit}`],
  ['gitea', 'a/b', `api.h.test/x/repos/a/b/archive/${commit}.tar.gz`],
] as const)(
  '%s: the address of an archive names repository and commit',
  (form, repository, url) => {
    const target = { apiUrl: 'https://api.h.test/x/', repository, commit }
    expect(repositoryArchiveUrlOf(form, target)).toContain(`https://${url}`)
  },
)

const statusCases = [
  [
    'gitlab',
    'group/sub/shop',
    `POST /base/projects/group%2Fsub%2Fshop/statuses/${commit}`,
    { state: 'failed', name: 'antichain prod', description: 'no' },
    'Bearer the-token',
  ],
  [
    'bitbucket',
    'acme/shop',
    `POST /base/repositories/acme/shop/commit/${commit}/statuses/build`,
    {
      state: 'FAILED',
      name: 'antichain prod',
      url: expect.stringContaining('/acme/shop/commits/'),
    },
    'Bearer the-token',
  ],
  [
    'bitbucket-server',
    '~ann/shop',
    `POST /base/api/latest/projects/~ann/repos/shop/commits/${commit}/builds`,
    { state: 'FAILED', key: expect.stringMatching(/^[0-9a-f]{40}$/), name: 'antichain prod' },
    'Bearer the-token',
  ],
  [
    'gitea',
    'acme/shop',
    `POST /base/repos/acme/shop/statuses/${commit}`,
    { state: 'failure', context: 'antichain prod', description: 'no' },
    'token the-token',
  ],
] as const
test.each(statusCases)(
  '%s: the status of a commit is sent to its host',
  async (form, repository, call, value, authorization) => {
    await openReplies(form).setStatus(repository, commit, status)
    expect(listCalls()).toEqual([call])
    expect(readLastBody()).toMatchObject(value)
    expect(receiver.received[0]?.headers.authorization).toBe(authorization)
  },
)

test.each([
  ['github', 'target_url'],
  ['gitlab', 'target_url'],
  ['bitbucket', 'url'],
  ['bitbucket-server', 'url'],
  ['gitea', 'target_url'],
] as const)(
  '%s: the status of a commit links to its page, in the field %s',
  async (form, field) => {
    const targetUrl = 'https://deploy.test/#/stacks/shop/prod/plans/k'
    await openReplies(form).setStatus('acme/shop', commit, { ...status, targetUrl })
    expect(readLastBody()).toMatchObject({ [field]: targetUrl })
    await openReplies(form).setStatus('acme/shop', commit, status)
    const { [field]: withoutLink } = readLastBody() as Record<string, string>
    expect(withoutLink ?? '').not.toContain('deploy.test')
  },
)

test('a credential of Bitbucket with a colon is a name and a password', async () => {
  await openReplies('bitbucket', 'ann@acme.test:word').setStatus('acme/shop', commit, status)
  const encoded = Buffer.from('ann@acme.test:word').toString('base64')
  expect(receiver.received[0]?.headers.authorization).toBe(`Basic ${encoded}`)
})

describe('a state that GitLab refuses', () => {
  const answerWith = (shownState: string): void => {
    receiver.state.answer = ({ method }) =>
      method === 'POST'
        ? { status: 400, body: '{}' }
        : { status: 200, body: JSON.stringify([{ name: status.context, status: shownState }]) }
  }

  test('counts as set if the commit already shows it', async () => {
    answerWith('failed')
    await openReplies('gitlab').setStatus('acme/shop', commit, status)
    expect(listCalls()[1]).toContain(`/repository/commits/${commit}/statuses?name=antichain%20prod`)
  })

  test('is an error if the commit shows another state', async () => {
    answerWith('running')
    const result = openReplies('gitlab').setStatus('acme/shop', commit, status)
    await expect(result).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
      details: { status: 400 },
    })
  })
})

/** Creates the answers of a host that stores comments, in the formats of its API. */
function storeComments(form: WebhookFormName): Map<number, string> {
  const comments = new Map<number, string>()
  const textOf = (body: string): string => {
    const value = JSON.parse(body) as { body?: string; text?: string; content?: { raw: string } }
    return value.body ?? value.text ?? value.content?.raw ?? ''
  }
  const listComments = (): unknown => {
    const entries = [...comments]
    if (form === 'bitbucket')
      return { values: entries.map(([id, raw]) => ({ id, content: { raw } })) }
    if (form !== 'bitbucket-server') return entries.map(([id, body]) => ({ id, body }))
    const values = entries.map(([id, text]) => ({
      action: 'COMMENTED',
      comment: { id, version: 3, text },
    }))
    return { values: [{ action: 'OPENED' }, ...values].toReversed(), isLastPage: true }
  }
  receiver.state.answer = ({ method, url, body }) => {
    if (method === 'GET') return { status: 200, body: JSON.stringify(listComments()) }
    const id = method === 'POST' ? comments.size + 1 : Number(/(\d+)$/.exec(url)?.[1])
    comments.set(id, textOf(body))
    return { status: method === 'POST' ? 201 : 200, body: '{}' }
  }
  return comments
}

test.each([
  ['gitlab', '/base/projects/acme%2Fshop/merge_requests/7/notes'],
  ['bitbucket', '/base/repositories/acme/shop/pullrequests/7/comments'],
  ['bitbucket-server', '/base/api/latest/projects/acme/repos/shop/pull-requests/7/comments'],
  ['gitea', '/base/repos/acme/shop/issues/7/comments'],
] as const)('%s: a comment is created once, and updated afterwards', async (form, path) => {
  const comments = storeComments(form)
  const replies = openReplies(form)
  const write = (text: string): Promise<void> =>
    replies.writeComment('acme/shop', 7, { text, subject: 'shop/prod' })
  await write('first')
  expect(listCalls().at(-1)).toBe(`POST ${path}`)
  // A copy by another person comes later, and stays as it is.
  const copy = comments.get(1) ?? ''
  comments.set(2, copy)
  await write('second')
  expect(listCalls().at(-1)).toMatch(/^(?:PUT|PATCH) .*\/comments\/1$|^PUT .*\/notes\/1$/)
  expect([comments.get(1)?.endsWith('second'), comments.get(2)]).toEqual([true, copy])
})
