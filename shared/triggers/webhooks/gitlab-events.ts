import * as z from 'zod'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'
import {
  commitForm,
  createIgnoredEvent,
  limitPaths,
  gitlabProjectForm,
  refNameForm,
  type RepositoryEvent,
} from './repository-event.ts'
import { parseWebhookBody } from './webhook-body.ts'

const projectForm = z.object({ path_with_namespace: gitlabProjectForm })
const pathsForm = z.array(z.string()).nullish()

const pushForm = z.object({
  ref: z.string().max(300),
  before: commitForm,
  after: commitForm,
  /** The commit. For an annotated tag, `after` is not the commit. Null for a deleted ref. */
  checkout_sha: commitForm.nullish(),
  project: projectForm,
  total_commits_count: z.int().nonnegative(),
  commits: z.array(z.object({ added: pathsForm, removed: pathsForm, modified: pathsForm })),
})

const mergeRequestForm = z.object({
  project: projectForm,
  object_attributes: z.object({
    iid: z.int().positive(),
    /** Absent in deliveries of a few changes that concern no commits. */
    action: z.string().optional(),
    /** The previous commit, if the delivery reports new commits. */
    oldrev: z.string().nullish(),
    target_branch: refNameForm,
    source_project_id: z.int().nullish(),
    target_project_id: z.int(),
    updated_at: z.string().max(100).nullish(),
    last_commit: z.object({ id: commitForm }),
  }),
  changes: z
    .object({
      draft: z
        .object({ previous: z.boolean().nullish(), current: z.boolean().nullish() })
        .nullish(),
    })
    .nullish(),
})

/** The name of an event of GitLab → its parser. Events without a parser are ignored. */
const readersByEvent: ReadonlyMap<string, (body: Uint8Array) => RepositoryEvent> = new Map([
  ['Push Hook', readPush],
  ['Tag Push Hook', readPush],
  ['Merge Request Hook', readMergeRequest],
])

/** Parses the body of GitLab's event `name`. Throws WEBHOOK_MALFORMED. */
export function readGitlabEvent(name: string, body: Uint8Array): RepositoryEvent {
  const readEvent = readersByEvent.get(name)
  return readEvent === undefined
    ? createIgnoredEvent(`no rule applies to the event ${toPrintable(name, 50)}`)
    : readEvent(body)
}

function readPush(body: Uint8Array): RepositoryEvent {
  const payload = parseWebhookBody(body, pushForm)
  if (isZero(payload.after)) return createIgnoredEvent('a branch or tag was deleted')
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/su.exec(payload.ref) ?? []
  if (!refNameForm.safeParse(name).success)
    return createIgnoredEvent('the pushed ref is not a branch or tag')
  const change = {
    repository: payload.project.path_with_namespace,
    commit: payload.checkout_sha ?? payload.after,
    paths: pathsOf(payload),
  }
  return kind === 'heads'
    ? { kind: 'push', branch: name, ...change }
    : { kind: 'tag', tag: name, ...change }
}

const isZero = (commit: string): boolean => /^0+$/.test(commit)

/**
 * Returns the changed paths of a push. Returns undefined for a new branch or tag, and for a push
 * that does not list all of its commits.
 */
function pathsOf({
  before,
  commits,
  total_commits_count: count,
}: z.infer<typeof pushForm>): readonly string[] | undefined {
  if (isZero(before) || commits.length === 0 || commits.length < count) return undefined
  return limitPaths(
    commits.flatMap(({ added, removed, modified }) => [
      ...(added ?? []),
      ...(removed ?? []),
      ...(modified ?? []),
    ]),
  )
}

function readMergeRequest(body: Uint8Array): RepositoryEvent {
  const {
    project,
    object_attributes: attributes,
    changes,
  } = parseWebhookBody(body, mergeRequestForm)
  const { action = 'changed', oldrev } = attributes
  const hasNewCommits = action === 'update' && (oldrev ?? '') !== ''
  const isReady = action === 'update' && changes?.draft?.previous === true
  if (!['open', 'reopen'].includes(action) && !hasNewCommits && !isReady)
    return createIgnoredEvent(
      `a merge request had the action ${toPrintable(action, 50)}, without commits`,
    )
  const changedAt = parseGitlabTime(attributes.updated_at)
  return {
    kind: 'pull-request',
    number: attributes.iid,
    branch: attributes.target_branch,
    // The project of a fork may be deleted. Then its id is null.
    isForeign: attributes.source_project_id !== attributes.target_project_id,
    repository: project.path_with_namespace,
    commit: attributes.last_commit.id,
    paths: undefined,
    ...(changedAt === undefined ? {} : { changedAt }),
  }
}

/** Parses a time of GitLab: ISO 8601, or `2026-01-31 04:00:00 UTC`. Undefined for other texts. */
function parseGitlabTime(text: string | null | undefined): EpochMs | undefined {
  const iso = (text ?? '').replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/, '$1T$2Z')
  const parsed = z.iso.datetime({ offset: true }).safeParse(iso)
  return parsed.success ? (Date.parse(parsed.data) as EpochMs) : undefined
}
