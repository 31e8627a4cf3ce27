import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { EpochMs } from '../../records/ids.ts'

/** A repository event, independent of the webhook's form. */
export type RepositoryEvent =
  /** A test delivery without contents. */
  | { readonly kind: 'ping' }
  /** An event that no rule can match. `why`: the reason, for messages. */
  | { readonly kind: 'ignored'; readonly why: string }
  /** The changes of a delivery that may describe several branches and tags. At least one. */
  | { readonly kind: 'several'; readonly changes: readonly ChangeEvent[] }
  | ChangeEvent

/** An event that rules can match. */
export type ChangeEvent =
  | ({ readonly kind: 'push'; readonly branch: string } & RepositoryChange)
  | ({ readonly kind: 'tag'; readonly tag: string } & RepositoryChange)
  | ({
      readonly kind: 'pull-request'
      readonly number: number
      /** The target branch of the merge. */
      readonly branch: string
      /**
       * Whether the commits come from another repository, such as a fork. Their authors may have no
       * permission to push to `repository`.
       */
      readonly isForeign: boolean
    } & RepositoryChange)

/** A change of a repository at a commit. */
export interface RepositoryChange {
  /** `owner/name`, or a longer path in a host with groups of groups. */
  readonly repository: string
  readonly commit: string
  /** The changed files. Undefined if they are not known: every path filter then matches. */
  readonly paths: readonly string[] | undefined
  /** The time of the change, if the form contains it. */
  readonly changedAt?: EpochMs
}

/** `owner/name` of a repository, in characters that need no escaping in a URL path. */
export const repositoryForm = z
  .string()
  .regex(/^(?!\.)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/, 'must be <owner>/<name>')

/** The path of a GitLab project: `group/name`, or with further groups between them. */
export const gitlabProjectForm = z
  .string()
  .max(500)
  .regex(
    /^(?!\.)[\w.-]{1,100}(?:\/(?!\.{1,2}(?:\/|$))[\w.-]{1,100}){1,20}$/,
    'must be <group>/<name>',
  )

/** `project/name` of a repository of Bitbucket Server. Projects of users begin with `~`. */
export const bitbucketServerRepositoryForm = z
  .string()
  .regex(/^~?(?!\.)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/, 'must be <project>/<name>')

/** Reports whether a text names a repository of any host. */
export function isRepository(text: string): boolean {
  return [gitlabProjectForm, bitbucketServerRepositoryForm].some(
    form => form.safeParse(text).success,
  )
}

/** The full hash of a commit. */
export const commitForm = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be the full hash of a commit')

/** The hash of a commit, in full or at least its first 12 characters, as Bitbucket sends it. */
export const abbreviatedCommitForm = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/, 'must be the hash of a commit')

/** The name of a branch or tag, without the characters that git refuses. */
export const refNameForm = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?![-/])[^\p{Cc} ~^:?*[\\]+$/u, 'must be the name of a branch or tag')

/** Returns the paths of a change without duplicates. Undefined if there are too many. */
export function limitPaths(paths: Iterable<string>): readonly string[] | undefined {
  const uniquePaths = new Set(paths)
  return uniquePaths.size > triggerLimits.pathsMax ? undefined : [...uniquePaths]
}

/** Creates the event of a delivery that no rule can match. */
export function createIgnoredEvent(why: string): RepositoryEvent {
  return { kind: 'ignored', why }
}

/** Creates the event of a delivery with changes. Without changes, no rule can match it. */
export function createEventOfChanges(changes: readonly ChangeEvent[]): RepositoryEvent {
  return changes.length === 0
    ? createIgnoredEvent('the delivery contains no new commit of a branch or tag')
    : { kind: 'several', changes }
}
