/** The operations of a deployment in responses of the API. /openapi.json describes them. */

/** The stage of an operation. */
export type ShownStage = 'waiting' | 'ready' | 'running' | 'ended'

/** An operation with its times in ms since 1970. A missing time is not recorded yet. */
export interface ShownOperation {
  readonly id: number
  readonly op: string
  readonly urn: string
  readonly stage: ShownStage
  readonly verdict?: string
  readonly attempts: number
  readonly decidedAt: number
  readonly readyAt?: number
  readonly beganAt?: number
  readonly endedAt?: number
  /** The duration of the provider call. */
  readonly callMs: number
  /** The time for which the ready operation waited for a slot of `--parallel`. */
  readonly slotMs: number
  /** The time for which the ready operation waited for a limit of calls. */
  readonly limitMs: number
  /** The duration of earlier attempts, and of the pauses before retries. */
  readonly retryMs: number
  /** The operation whose end made this one ready. */
  readonly causeId?: number
  /** The wave of a delete, from 1. */
  readonly wave?: number
}

/** Reports whether an operation has ended without success. Pure. */
export function hasFailed({ stage, verdict }: Pick<ShownOperation, 'stage' | 'verdict'>): boolean {
  return stage === 'ended' && verdict !== 'succeeded'
}

/** An operation for which another one waits. */
export type NeededOperation = Pick<ShownOperation, 'id' | 'op' | 'urn' | 'stage' | 'verdict'>

/**
 * The reason why an operation does not run. `none`: it runs or has ended. `undelivered`: its
 * message is a dead letter. `hook`: the program runs this hook. `delivery`: the message of the
 * operation waits in the queue, or its executor waits for limits of calls.
 */
export interface ShownWait {
  readonly kind: 'none' | 'operations' | 'stopped' | 'undelivered' | 'hook' | 'slots' | 'delivery'
  readonly operations?: readonly NeededOperation[]
  /** The number of all missing needs. */
  readonly count?: number
  /** The number of operations that run now. */
  readonly running?: number
}

/** An attempt of an operation. Without a verdict it runs, was given back, or was lost. */
export interface ShownAttempt {
  readonly attempt: number
  readonly verdict?: string
  readonly startedAt?: number
  readonly endedAt?: number
  /** The total of the pauses before retries of the provider call. Absent: none. */
  readonly pausedMs?: number
  readonly error?: { readonly message: string; readonly status: string; readonly code?: string }
}

/** The records of one operation. */
export interface ShownRecords {
  readonly id: number
  readonly op: string
  readonly urn: string
  /** The number of operations that must succeed first. */
  readonly needs: number
  /** The number of these that have succeeded. */
  readonly arrived: number
  /** The number of attempts that were given back before a provider call. */
  readonly givenBack: number
  /** The identity of the executor that began the operation, or ''. */
  readonly executor: string
  /** Only of a hook: whether it runs before or after the provider call of its resource. */
  readonly hook?: 'before' | 'after'
  readonly times?: ShownOperation
  readonly wait: ShownWait
  readonly attempts: readonly ShownAttempt[]
}

/** A page of the operations of a deployment. */
export interface ListedOperations {
  readonly items: readonly ShownOperation[]
  readonly next?: string
  /** The maximum number of concurrent provider calls. */
  readonly parallel: number
}

/** The operations of a deployment that are new or may have changed. */
export interface ListedChanges {
  readonly items: readonly ShownOperation[]
  /** The number of operations that the reader knows, including `items`. */
  readonly count: number
  readonly hasMore: boolean
  readonly parallel: number
}

/** The records of the operations of one resource. */
export interface ResourceRecords {
  readonly items: readonly ShownRecords[]
  readonly parallel: number
}

/** The limits of provider calls that a stack uses. */
export interface ShownLimits {
  readonly items: readonly {
    readonly label: string
    /** The number of deployments that use the limit now. */
    readonly deployments: number
    /** Whether the rate is lower than that of the rule, because the provider throttled calls. */
    readonly slowed: boolean
  }[]
}
