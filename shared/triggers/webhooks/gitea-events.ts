import * as z from 'zod'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'
import {
  commitForm,
  createIgnoredEvent,
  limitPaths,
  refNameForm,
  type RepositoryEvent,
  repositoryForm,
} from './repository-event.ts'
import { parseWebhookBody } from './webhook-body.ts'

const repositoryFieldsForm = z.object({ full_name: repositoryForm })
const pathsForm = z.array(z.string()).nullish()

const pushForm = z.object({
  ref: z.string().max(300),
  before: commitForm,
  after: commitForm,
  repository: repositoryFieldsForm,
  total_commits: z.int().nonnegative().optional(),
  head_commit: z.object({ id: commitForm }).nullish(),
  commits: z
    .array(z.object({ added: pathsForm, removed: pathsForm, modified: pathsForm }))
    .nullish(),
})

const pullRequestForm = z.object({
  action: z.string(),
  number: z.int().positive(),
  repository: repositoryFieldsForm,
  pull_request: z.object({
    updated_at: z.iso.datetime({ offset: true }).optional(),
    base: z.object({ ref: refNameForm }),
    head: z.object({ sha: commitForm, repo: z.object({ full_name: z.string() }).nullish() }),
  }),
})

/** Actions that open a pull request, change its commits, or reopen it. */
const previewedActions = ['opened', 'synchronized', 'reopened']

/** The name of an event of Gitea → its parser. Events without a parser are ignored. */
const readersByEvent: ReadonlyMap<string, (body: Uint8Array) => RepositoryEvent> = new Map([
  ['push', readPush],
  ['pull_request', readPullRequest],
  ['pull_request_sync', readPullRequest],
  // A push event also reports a created branch or tag, and contains its commit.
  ['create', () => createIgnoredEvent('the push event covers a created branch or tag')],
])

/** Parses the body of Gitea's event `name`. Throws WEBHOOK_MALFORMED. */
export function readGiteaEvent(name: string, body: Uint8Array): RepositoryEvent {
  const readEvent = readersByEvent.get(name)
  return readEvent === undefined
    ? createIgnoredEvent(`no rule applies to the event ${toPrintable(name, 50)}`)
    : readEvent(body)
}

const isZero = (commit: string): boolean => /^0+$/.test(commit)

function readPush(body: Uint8Array): RepositoryEvent {
  const payload = parseWebhookBody(body, pushForm)
  if (isZero(payload.after)) return createIgnoredEvent('a branch or tag was deleted')
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/su.exec(payload.ref) ?? []
  if (!refNameForm.safeParse(name).success)
    return createIgnoredEvent('the pushed ref is not a branch or tag')
  const change = {
    repository: payload.repository.full_name,
    // For an annotated tag, `after` is the tag, not the commit.
    commit: payload.head_commit?.id ?? payload.after,
    paths: pathsOf(payload),
  }
  return kind === 'heads'
    ? { kind: 'push', branch: name, ...change }
    : { kind: 'tag', tag: name, ...change }
}

/**
 * Returns the changed paths of a push. Returns undefined for a new branch or tag, and for a push
 * whose `total_commits` is absent or differs from the number of listed commits.
 */
function pathsOf({
  before,
  commits,
  total_commits: count,
}: z.infer<typeof pushForm>): readonly string[] | undefined {
  const listed = commits ?? []
  if (isZero(before) || listed.length === 0 || listed.length !== count) return undefined
  return limitPaths(
    listed.flatMap(({ added, removed, modified }) => [
      ...(added ?? []),
      ...(removed ?? []),
      ...(modified ?? []),
    ]),
  )
}

function readPullRequest(body: Uint8Array): RepositoryEvent {
  const payload = parseWebhookBody(body, pullRequestForm)
  if (!previewedActions.includes(payload.action))
    return createIgnoredEvent(`a pull request was ${toPrintable(payload.action, 50)}`)
  const { base, head, updated_at: updatedAt } = payload.pull_request
  return {
    kind: 'pull-request',
    number: payload.number,
    branch: base.ref,
    // The repository of a fork may be deleted. Then it is null.
    isForeign: head.repo?.full_name !== payload.repository.full_name,
    repository: payload.repository.full_name,
    commit: head.sha,
    paths: undefined,
    ...(updatedAt === undefined ? {} : { changedAt: Date.parse(updatedAt) as EpochMs }),
  }
}
