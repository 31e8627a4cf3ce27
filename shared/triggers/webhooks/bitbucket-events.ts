import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'
import {
  abbreviatedCommitForm,
  type ChangeEvent,
  commitForm,
  createEventOfChanges,
  createIgnoredEvent,
  refNameForm,
  type RepositoryEvent,
  repositoryForm,
} from './repository-event.ts'
import { parseWebhookBody } from './webhook-body.ts'

const repositoryFieldsForm = z.object({ full_name: repositoryForm })

const pushForm = z.object({
  repository: repositoryFieldsForm,
  push: z.object({
    changes: z
      .array(
        z.object({
          /** Null when the branch or tag was deleted. */
          new: z
            .object({
              type: z.string(),
              name: z.string().max(300),
              target: z.object({ hash: commitForm }),
            })
            .nullish(),
        }),
      )
      .max(triggerLimits.changesMax),
  }),
})

const pullRequestForm = z.object({
  repository: repositoryFieldsForm,
  pullrequest: z.object({
    id: z.int().positive(),
    updated_on: z.iso.datetime({ offset: true }).optional(),
    source: z.object({
      commit: z.object({ hash: abbreviatedCommitForm }),
      repository: z.object({ full_name: z.string() }).nullish(),
    }),
    destination: z.object({ branch: z.object({ name: refNameForm }) }),
  }),
})

/** The name of an event of Bitbucket Cloud → its parser. Events without a parser are ignored. */
const readersByEvent: ReadonlyMap<string, (body: Uint8Array) => RepositoryEvent> = new Map([
  ['repo:push', readPush],
  ['pullrequest:created', readPullRequest],
  ['pullrequest:updated', readPullRequest],
])

/** Parses the body of the event `name` of Bitbucket Cloud. Throws WEBHOOK_MALFORMED. */
export function readBitbucketEvent(name: string, body: Uint8Array): RepositoryEvent {
  const readEvent = readersByEvent.get(name)
  return readEvent === undefined
    ? createIgnoredEvent(`no rule applies to the event ${toPrintable(name, 50)}`)
    : readEvent(body)
}

function readPush(body: Uint8Array): RepositoryEvent {
  const { push, repository } = parseWebhookBody(body, pushForm)
  return createEventOfChanges(
    push.changes.flatMap((change): readonly ChangeEvent[] => {
      const { type = '', name = '', target } = change.new ?? {}
      if (target === undefined || !refNameForm.safeParse(name).success) return []
      // Bitbucket lists no changed files.
      const details = { repository: repository.full_name, commit: target.hash, paths: undefined }
      if (type === 'branch') return [{ kind: 'push', branch: name, ...details }]
      return type === 'tag' ? [{ kind: 'tag', tag: name, ...details }] : []
    }),
  )
}

function readPullRequest(body: Uint8Array): RepositoryEvent {
  const { repository, pullrequest } = parseWebhookBody(body, pullRequestForm)
  const { id, source, destination, updated_on: updatedAt } = pullrequest
  return {
    kind: 'pull-request',
    number: id,
    branch: destination.branch.name,
    // The repository of a fork may be deleted. Then it is null.
    isForeign: source.repository?.full_name !== repository.full_name,
    repository: repository.full_name,
    commit: source.commit.hash,
    paths: undefined,
    ...(updatedAt === undefined ? {} : { changedAt: Date.parse(updatedAt) as EpochMs }),
  }
}
