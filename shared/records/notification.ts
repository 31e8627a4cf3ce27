import type { DeploymentId, EpochMs, StackId } from './ids.ts'

/** The subject of an event: a deployment, or a request without one (a preview or a refusal). */
interface EventSubject {
  readonly stack: StackId
  readonly deployment?: DeploymentId
  /** The key of the request, if the subject is a request without a deployment. */
  readonly request?: string
  readonly command: string
  readonly at: EpochMs
  /** Whether the deployment was requested, and not started by a command. Absent: no. */
  readonly isRequested?: boolean
}

/** Numbers of operations by kind, as in the summary of a deployment. */
type Changes = Readonly<Record<string, number>>

/**
 * The event that receivers get. It contains no inputs, outputs or messages, which may hold secrets.
 */
export type NotificationEvent =
  | ({ readonly kind: 'started' } & EventSubject)
  | ({ readonly kind: 'succeeded'; readonly changes: Changes } & EventSubject)
  /** `codes`: the error codes, which docs/errors.md explains. */
  | ({
      readonly kind: 'failed'
      readonly changes: Changes
      readonly codes: readonly string[]
    } & EventSubject)
  /** The plan of a request waits for an approval until `expiresAt`. */
  | ({
      readonly kind: 'approval'
      readonly changes: Changes
      readonly expiresAt: EpochMs
    } & EventSubject)
  /** The plan of a request was not approved until `expiresAt`. */
  | ({ readonly kind: 'approval-expired'; readonly expiresAt: EpochMs } & EventSubject)
  /**
   * `urns`: at most a hundred of the drifted resources. `count`: the number of all drifted
   * resources.
   */
  | ({
      readonly kind: 'drift'
      readonly count: number
      readonly urns: readonly string[]
      /** Absent in messages of an earlier version. */
      readonly changes?: Changes
    } & EventSubject)

/** The progress of a webhook's request, shown at its commit and pull request. */
export interface CommitStatusReply {
  readonly webhook: string
  readonly stack: StackId
  /** The key of the request. A later reply replaces an earlier one. */
  readonly request: string
  readonly repository: string
  readonly commit: string
  readonly pullRequest?: number
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  readonly description: string
  /** The page of the dashboard that shows the subject. Absent: that of the stack. */
  readonly page?:
    | { readonly kind: 'plan' }
    | { readonly kind: 'deployment'; readonly number: number }
  /** The result of a preview, for a comment. */
  readonly lines?: readonly string[]
}
