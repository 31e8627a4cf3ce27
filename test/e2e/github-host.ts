/**
 * A repository host on loopback with the features that webhooks use: archives of commits, statuses,
 * comments, and signed deliveries.
 */
import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { create } from 'tar'
import {
  type ReceivedRequest,
  startHttpReceiver,
} from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { bodySignatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'

/** The files of a repository by path. */
export type RepositoryFiles = Readonly<Record<string, string | Uint8Array>>

/** A host with the repository acme/site. */
export interface GithubHost {
  /** The address of its API. */
  readonly origin: string
  /** Adds a commit to the repository and returns its hash. */
  readonly commit: (files: RepositoryFiles) => string
  /** The statuses of a commit, oldest first. */
  readonly listStatuses: (commit: string) => readonly { state: string; description: string }[]
  /** The current comments by id. */
  readonly listComments: () => ReadonlyMap<number, string>
  /** Redirects later requests for archives to the API's own host, which requires the token. */
  readonly serveArchivesItself: () => void
  /** Number of requests to the separate host of archives. */
  readonly countFetches: () => number
  readonly close: () => void
}

export const repository = 'acme/site'

/** Starts a host that accepts this token. */
export async function startGithubHost(token: string): Promise<GithubHost> {
  const archives = new Map<string, Uint8Array>()
  const comments = new Map<number, string>()
  const receiver = await startHttpReceiver()
  // The host of archives accepts temporary addresses and no token.
  const archiveHost = await startHttpReceiver()
  archiveHost.state.answer = ({ url, headers }) => {
    const body = archives.get(url.slice(1))
    return body === undefined || headers.authorization !== undefined
      ? { status: 404 }
      : { status: 200, body }
  }
  let servesArchives = false
  receiver.state.answer = request => {
    if (request.headers.authorization !== `Bearer ${token}`) return { status: 401 }
    const [, form, commit = ''] = /\/(tarball|own)\/(\w+)$/.exec(request.url) ?? []
    const archive = archives.get(commit)
    if (archive !== undefined && form === 'own') return { status: 200, body: archive }
    if (archive !== undefined) {
      const location = servesArchives ? `/own/${commit}` : `${archiveHost.origin}/${commit}`
      return { status: 302, headers: { location } }
    }
    if (request.url.includes('/statuses/')) return { status: 201, body: '{}' }
    return request.url.includes('/comments') ? answerComments(request, comments) : { status: 404 }
  }
  const findReceived = (part: string): readonly ReceivedRequest[] =>
    receiver.received.filter(({ url }) => url.includes(part))
  return {
    origin: receiver.origin,
    commit: files => {
      const hash = randomUUID().replaceAll('-', '') + '0'.repeat(8)
      archives.set(hash, packArchive(`acme-site-${hash.slice(0, 7)}`, files))
      return hash
    },
    listStatuses: commit => findReceived(`/statuses/${commit}`).map(({ body }) => JSON.parse(body)),
    listComments: () => comments,
    serveArchivesItself: () => {
      servesArchives = true
    },
    countFetches: () => archiveHost.received.length,
    close: () => {
      receiver.close()
      archiveHost.close()
    },
  }
}

function answerComments({ method, url, body }: ReceivedRequest, comments: Map<number, string>) {
  if (method === 'GET') {
    const commentList = [...comments].map(([id, text]) => ({ id, body: text }))
    return { status: 200, body: JSON.stringify(commentList) }
  }
  const [, commentId] = /\/issues\/comments\/(\d+)$/.exec(url) ?? []
  const id = method === 'PATCH' ? Number(commentId) : comments.size + 1
  if (method === 'PATCH' && !comments.has(id)) return { status: 404 }
  comments.set(id, (JSON.parse(body) as { body: string }).body)
  return { status: method === 'PATCH' ? 200 : 201, body: JSON.stringify({ id }) }
}

/**
 * Returns a compressed archive in the form of GitHub: all files in a folder named after the commit.
 */
export function packArchive(folder: string, files: RepositoryFiles): Uint8Array {
  const root = mkdtempSync(join(tmpdir(), 'antichain-github-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(root, folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    const bytes = create({ cwd: root, gzip: true, sync: true, portable: true }, [folder]).read()
    if (bytes === null) throw new Error('the archive is empty')
    return bytes
  } finally {
    rmSync(root, { recursive: true })
  }
}

/**
 * Returns the manifest and lock file of a program, and the packed package `dep` that the program
 * depends on. With them npm installs `dep` without a registry. `folder`: the program's folder in
 * the repository. `scripts`: the npm scripts of its manifest.
 */
export function createPackageFiles(
  folder: string,
  scripts: Readonly<Record<string, string>> = {},
): RepositoryFiles {
  const root = mkdtempSync(join(tmpdir(), 'antichain-package-'))
  try {
    const toManifest = (fields: object): string => JSON.stringify({ version: '1.0.0', ...fields })
    mkdirSync(join(root, 'package'))
    writeFileSync(join(root, 'package/package.json'), toManifest({ name: 'dep' }))
    writeFileSync(join(root, 'package/index.js'), 'module.exports = 1\n')
    const file = join(root, 'dep.tgz')
    create({ file, cwd: root, gzip: true, sync: true, portable: true }, ['package'])
    const dependencies = { dep: 'file:dep.tgz' }
    const siteManifest = toManifest({ name: 'site', dependencies, scripts })
    writeFileSync(join(root, 'package.json'), siteManifest)
    const args = [
      'install',
      '--package-lock-only',
      '--ignore-scripts',
      '--offline',
      '--no-audit',
      '--no-fund',
    ]
    execFileSync('npm', args, { cwd: root, stdio: 'pipe' })
    const names = ['dep.tgz', 'package.json', 'package-lock.json']
    return Object.fromEntries(
      names.map(name => [`${folder}/${name}`, readFileSync(join(root, name))] as const),
    )
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Returns the webhook body for a push of this commit to a branch. */
export const createPushBody = (commit: string, branch = 'main'): object => ({
  ref: `refs/heads/${branch}`,
  before: '0'.repeat(40),
  after: commit,
  created: false,
  deleted: false,
  forced: false,
  repository: { full_name: repository, pushed_at: Math.floor(Date.now() / 1000) },
  head_commit: { id: commit },
  commits: [{ added: [], removed: [], modified: ['infra/index.js'] }],
})

/** Returns the webhook body for a new last commit of a pull request from the same repository. */
export const createPullRequestBody = (number: number, commit: string): object => ({
  action: 'synchronize',
  number,
  repository: { full_name: repository },
  pull_request: {
    updated_at: new Date().toISOString(),
    base: { ref: 'main' },
    head: { sha: commit, repo: { full_name: repository } },
  },
})

/** A delivery with the signature headers of GitHub. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Signs a delivery. */
export function signDelivery(secret: string, event: string, payload: object): SignedDelivery {
  const body = JSON.stringify(payload)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${bodySignatureOf(secret, body)}`,
    },
  }
}

/** Sends a delivery to a webhook and returns status and JSON. */
export async function sendWebhookDelivery(
  url: string,
  { headers, body }: SignedDelivery,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const reply = await fetch(url, { method: 'POST', headers, body })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}
