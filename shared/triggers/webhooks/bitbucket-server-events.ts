import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'
import {
  type ChangeEvent,
  commitForm,
  createEventOfChanges,
  createIgnoredEvent,
  refNameForm,
  type RepositoryEvent,
  bitbucketServerRepositoryForm,
} from './repository-event.ts'
import { parseWebhookBody } from './webhook-body.ts'

/** A repository. The result is `project/name`. */
const repositoryFieldsForm = z
  .object({ slug: z.string(), project: z.object({ key: z.string() }) })
  .transform(({ slug, project }) => `${project.key}/${slug}`)
  .pipe(bitbucketServerRepositoryForm)

const pushForm = z.object({
  date: z.string().max(100).optional(),
  repository: repositoryFieldsForm,
  changes: z
    .array(
      z.object({
        ref: z.object({ id: z.string().max(300), type: z.string() }),
        toHash: commitForm,
        type: z.string(),
      }),
    )
    .max(triggerLimits.changesMax),
})

const pullRequestForm = z.object({
  date: z.string().max(100).optional(),
  pullRequest: z.object({
    id: z.int().positive(),
    fromRef: z.object({ latestCommit: commitForm, repository: repositoryFieldsForm }),
    toRef: z.object({ id: z.string().max(300), repository: repositoryFieldsForm }),
  }),
})

/** The name of an event of Bitbucket Server → its parser. Events without a parser are ignored. */
const readersByEvent: ReadonlyMap<string, (body: Uint8Array) => RepositoryEvent> = new Map([
  ['diagnostics:ping', () => ({ kind: 'ping' })],
  ['repo:refs_changed', readPush],
  ['pr:opened', readPullRequest],
  ['pr:from_ref_updated', readPullRequest],
])

/** Parses the body of the event `name` of Bitbucket Server. Throws WEBHOOK_MALFORMED. */
export function readBitbucketServerEvent(name: string, body: Uint8Array): RepositoryEvent {
  const readEvent = readersByEvent.get(name)
  return readEvent === undefined
    ? createIgnoredEvent(`no rule applies to the event ${toPrintable(name, 50)}`)
    : readEvent(body)
}

function readPush(body: Uint8Array): RepositoryEvent {
  const { repository, changes, date } = parseWebhookBody(body, pushForm)
  return createEventOfChanges(
    changes.flatMap(({ ref, toHash, type }): readonly ChangeEvent[] => {
      const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/su.exec(ref.id) ?? []
      if (type === 'DELETE' || !refNameForm.safeParse(name).success) return []
      const details = { repository, commit: toHash, paths: undefined, ...toChangedAt(date) }
      return kind === 'heads'
        ? [{ kind: 'push', branch: name, ...details }]
        : [{ kind: 'tag', tag: name, ...details }]
    }),
  )
}

function readPullRequest(body: Uint8Array): RepositoryEvent {
  const { date, pullRequest } = parseWebhookBody(body, pullRequestForm)
  const { id, fromRef, toRef } = pullRequest
  const branch = toRef.id.replace(/^refs\/heads\//, '')
  if (!refNameForm.safeParse(branch).success)
    return createIgnoredEvent('the target of the pull request is not a branch')
  return {
    kind: 'pull-request',
    number: id,
    branch,
    isForeign: fromRef.repository !== toRef.repository,
    repository: toRef.repository,
    commit: fromRef.latestCommit,
    paths: undefined,
    ...toChangedAt(date),
  }
}

/**
 * Parses the time of a delivery, such as `2026-01-31T04:00:00+1000`. Returns {} for other texts.
 */
function toChangedAt(text: string | undefined): { readonly changedAt?: EpochMs } {
  const iso = (text ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
  const parsed = z.iso.datetime({ offset: true }).safeParse(iso)
  return parsed.success ? { changedAt: Date.parse(parsed.data) as EpochMs } : {}
}
