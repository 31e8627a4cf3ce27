import { z } from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { EpochMs } from '../../records/ids.ts'

/** What happened to a repository, whichever form told it. */
export type RepositoryEvent =
  /** Only a sign of life. */
  | { readonly kind: 'ping' }
  /** Nothing that a rule can be about; `why` is for people. */
  | { readonly kind: 'ignored'; readonly why: string }
  | ({ readonly kind: 'push'; readonly branch: string } & RepositoryChange)
  | ({ readonly kind: 'tag'; readonly tag: string } & RepositoryChange)
  | ({
      readonly kind: 'pull-request'
      readonly number: number
      /** The branch that it is to be merged into. */
      readonly branch: string
      /** Whether its commits lie in another repository, of people who may not push to this one. */
      readonly isForeign: boolean
    } & RepositoryChange)

/** A change of a repository at a commit. */
export interface RepositoryChange {
  /** `owner/name`. */
  readonly repository: string
  readonly commit: string
  /** The files that changed; undefined when not known, which every path filter lets pass. */
  readonly paths: readonly string[] | undefined
  /** When it happened, where the form says so. */
  readonly at?: EpochMs
}

/** An event that rules are about. */
export type ChangeEvent = Exclude<RepositoryEvent, { readonly kind: 'ping' | 'ignored' }>

/** `owner/name` of a repository: what may stand in the path of an address without escaping. */
export const repositoryForm = z
  .string()
  .regex(/^(?!\.)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/, 'must be <owner>/<name>')

/** The full hash of a commit. */
export const commitForm = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be the whole hash of a commit')

/** A branch or tag: without the characters that git refuses in one. */
export const refNameForm = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?![-/])[^\p{Cc} ~^:?*[\\]+$/u, 'must be the name of a branch or tag')

/** The paths of a change as a set; unknown when there are too many to look at. */
export function limitPaths(paths: Iterable<string>): readonly string[] | undefined {
  const found = new Set(paths)
  return found.size > triggerLimits.pathsMax ? undefined : [...found]
}
