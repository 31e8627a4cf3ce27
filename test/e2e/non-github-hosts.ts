/**
 * A repository host on loopback with the API of GitLab, Bitbucket, Bitbucket Server or Gitea. It
 * serves what webhooks use: archives of commits, statuses and comments.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { bodySignatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import { packArchive, type RepositoryFiles, type SignedDelivery } from './github-host.ts'

/** The forms of webhooks of the hosts. */
type OtherForm = 'gitlab' | 'bitbucket' | 'bitbucket-server' | 'gitea'

/** A host of one form. */
export interface OtherHost {
  readonly origin: string
  /** Adds a commit to the repository and returns its hash. */
  readonly commit: (files: RepositoryFiles) => string
  /** The values of the statuses that the host received, oldest first. */
  readonly listStatuses: () => readonly unknown[]
  /** The texts of the comments that the host received, oldest first. */
  readonly listComments: () => readonly string[]
  readonly close: () => void
}

/** Starts a host that requires this token in every request. */
export async function startOtherHost(form: OtherForm, token: string): Promise<OtherHost> {
  const archives = new Map<string, Uint8Array>()
  const receiver = await startHttpReceiver()
  receiver.state.answer = ({ method, url, headers }) => {
    const scheme = form === 'gitea' ? 'token' : 'Bearer'
    if (headers.authorization !== `${scheme} ${token}`) return { status: 401 }
    const commit = /[0-9a-f]{40}/.exec(url)?.[0] ?? ''
    const archive = /archive|\/get\//.test(url) ? archives.get(commit) : undefined
    if (archive !== undefined) return { status: 200, body: archive }
    if (method !== 'GET') return { status: 201, body: '{}' }
    const isList = form === 'gitlab' || form === 'gitea'
    return { status: 200, body: isList ? '[]' : '{"values":[],"isLastPage":true}' }
  }
  const listPosted = (pattern: RegExp) =>
    receiver.received.filter(({ method, url }) => method === 'POST' && pattern.test(url))
  return {
    origin: receiver.origin,
    commit: files => {
      const hash = randomUUID().replaceAll('-', '') + '0'.repeat(8)
      archives.set(hash, packArchive('repository', files))
      return hash
    },
    listStatuses: () =>
      listPosted(/\/statuses\/|\/builds$/).map(({ body }) => JSON.parse(body) as unknown),
    listComments: () => listPosted(/\/(?:notes|comments)$/).map(({ body }) => body),
    close: receiver.close,
  }
}

const serverRepository = { slug: 'site', project: { key: 'acme' } }
const project = { id: 1, path_with_namespace: 'acme/site' }

/** Returns the delivery for a new pull request from the same repository, with its signature. */
export function createPullDelivery(
  form: OtherForm,
  secret: string,
  commit: string,
): SignedDelivery {
  const repository = { full_name: 'acme/site' }
  const now = new Date().toISOString()
  const mergeRequest = {
    iid: 5,
    action: 'open',
    target_branch: 'main',
    last_commit: { id: commit },
  }
  const source = { commit: { hash: commit }, repository }
  const fromRef = { latestCommit: commit, repository: serverRepository }
  const toRef = { id: 'refs/heads/main', repository: serverRepository }
  const bodies = {
    gitlab: {
      project,
      object_attributes: { ...mergeRequest, source_project_id: 1, target_project_id: 1 },
    },
    bitbucket: {
      repository,
      pullrequest: { id: 5, updated_on: now, source, destination: { branch: { name: 'main' } } },
    },
    'bitbucket-server': { date: now, pullRequest: { id: 5, fromRef, toRef } },
    gitea: {
      action: 'opened',
      number: 5,
      repository,
      pull_request: { base: { ref: 'main' }, head: { sha: commit, repo: repository } },
    },
  }
  const body = JSON.stringify(bodies[form])
  return { body, headers: signHeaders(form, secret, body) }
}

function signHeaders(form: OtherForm, secret: string, body: string): Record<string, string> {
  const id = randomUUID()
  const signature = bodySignatureOf(secret, body)
  if (form === 'gitea')
    return {
      'x-gitea-event': 'pull_request',
      'x-gitea-delivery': id,
      'x-gitea-signature': signature,
    }
  if (form === 'gitlab') {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    return {
      'x-gitlab-event': 'Merge Request Hook',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signed}`,
    }
  }
  const [event, idHeader] =
    form === 'bitbucket' ? ['pullrequest:created', 'x-request-uuid'] : ['pr:opened', 'x-request-id']
  return { 'x-event-key': event, [idHeader]: id, 'x-hub-signature': `sha256=${signature}` }
}
