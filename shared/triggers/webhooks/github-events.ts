import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { EpochMs } from '../../records/ids.ts'
import {
  type RepositoryEvent,
  createIgnoredEvent,
  limitPaths,
  commitForm,
  refNameForm,
  repositoryForm,
} from './repository-event.ts'
import { toPrintable } from '../printable.ts'
import { parseWebhookBody } from './webhook-body.ts'

const repositoryFieldsForm = z.object({ full_name: repositoryForm })
const pathsForm = z.array(z.string()).optional()

const pushForm = z.object({
  ref: z.string().max(300),
  after: commitForm,
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean(),
  repository: repositoryFieldsForm.extend({ pushed_at: z.number().optional() }),
  head_commit: z.object({ id: commitForm }).nullish(),
  commits: z.array(z.object({ added: pathsForm, removed: pathsForm, modified: pathsForm })),
})

const pullRequestForm = z.object({
  action: z.string(),
  number: z.int().positive(),
  repository: repositoryFieldsForm,
  pull_request: z.object({
    updated_at: z.iso.datetime({ offset: true }).optional(),
    base: z.object({ ref: refNameForm }),
    head: z.object({
      sha: commitForm,
      repo: z.object({ full_name: z.string() }).nullish(),
    }),
  }),
})

/** Actions that open a pull request, change its commits, reopen it or end its draft state. */
const previewedActions = ['opened', 'synchronize', 'reopened', 'ready_for_review']

/** The name of a GitHub event → its parser. Events without a parser are ignored. */
const readersByEvent: ReadonlyMap<string, (body: Uint8Array) => RepositoryEvent> = new Map([
  ['ping', readPing],
  ['push', readPush],
  ['pull_request', readPullRequest],
  // A create event has no commit. GitHub also sends a push event for the tag or branch, with the
  // commit.
  ['create', () => createIgnoredEvent('the push event covers a created branch or tag')],
])

/** Parses the body of GitHub's event `name`. Throws WEBHOOK_MALFORMED. */
export function readGithubEvent(name: string, body: Uint8Array): RepositoryEvent {
  const readEvent = readersByEvent.get(name)
  return readEvent === undefined
    ? createIgnoredEvent(`no rule applies to the event ${toPrintable(name, 50)}`)
    : readEvent(body)
}

function readPing(body: Uint8Array): RepositoryEvent {
  // No field of a ping is used, but a malformed body is refused.
  parseWebhookBody(body, z.object({ zen: z.string() }))
  return { kind: 'ping' }
}

function readPush(body: Uint8Array): RepositoryEvent {
  const payload = parseWebhookBody(body, pushForm)
  if (payload.deleted) return createIgnoredEvent('a branch or tag was deleted')
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/su.exec(payload.ref) ?? []
  if (!refNameForm.safeParse(name).success)
    return createIgnoredEvent('the pushed ref is not a branch or tag')
  const { pushed_at: pushedAt } = payload.repository
  const change = {
    repository: payload.repository.full_name,
    // For an annotated tag, `after` is the tag, not the commit.
    commit: payload.head_commit?.id ?? payload.after,
    paths: pathsOf(payload),
    ...(pushedAt === undefined ? {} : { changedAt: (pushedAt * 1000) as EpochMs }),
  }
  return kind === 'heads'
    ? { kind: 'push', branch: name ?? '', ...change }
    : { kind: 'tag', tag: name ?? '', ...change }
}

/**
 * Returns the changed paths of a push, or undefined when there are too many. The result is also
 * undefined for a new branch or tag, a forced push, and a push with no commits or very many. Such
 * pushes do not list all changes.
 */
function pathsOf(payload: z.infer<typeof pushForm>): readonly string[] | undefined {
  const { commits } = payload
  const isIncomplete =
    payload.created || payload.forced || commits.length >= triggerLimits.pushCommitsMax
  if (isIncomplete || commits.length === 0) return undefined
  return limitPaths(
    commits.flatMap(({ added = [], removed = [], modified = [] }) => [
      ...added,
      ...removed,
      ...modified,
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
    // The repository of a fork may be deleted. Then `repo` is null, and the commits still count as
    // commits of a fork.
    isForeign: head.repo?.full_name !== payload.repository.full_name,
    repository: payload.repository.full_name,
    commit: head.sha,
    paths: undefined,
    ...(updatedAt === undefined ? {} : { changedAt: Date.parse(updatedAt) as EpochMs }),
  }
}
