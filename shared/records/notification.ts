import type { DeploymentId, EpochMs, StackId } from './ids.ts'

/** What is told of a deployment, or of a request that changes nothing. */
interface EventSubject {
  readonly stack: StackId
  readonly deployment?: DeploymentId
  /** The request by its key, where there is no deployment. */
  readonly request?: string
  readonly command: string
  readonly at: EpochMs
}

/** Operations by kind, as in the summary of a deployment. */
type Changes = Readonly<Record<string, number>>

/** What receivers are told. Nothing of inputs, outputs or messages, which may hold secrets. */
export type NotificationEvent =
  | ({ readonly kind: 'started' } & EventSubject)
  | ({ readonly kind: 'succeeded'; readonly changes: Changes } & EventSubject)
  /** `codes`: those of the errors, by which docs/errors.md says what to do. */
  | ({
      readonly kind: 'failed'
      readonly changes: Changes
      readonly codes: readonly string[]
    } & EventSubject)
  /** `urns`: at most a hundred of the resources that are not as recorded; `count`: all. */
  | ({
      readonly kind: 'drift'
      readonly count: number
      readonly urns: readonly string[]
    } & EventSubject)

/** How far what a webhook asked for is, for its commit and pull request. */
export interface Reply {
  readonly webhook: string
  readonly stack: StackId
  /** The request by its key: what is told of it last stands. */
  readonly request: string
  readonly repository: string
  readonly commit: string
  readonly pullRequest?: number
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  readonly description: string
  /** Of a preview that ended, for a comment. */
  readonly lines?: readonly string[]
}
