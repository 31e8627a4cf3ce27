import type { DeploymentId, ExecutorId, OperationId, StackId } from '../records/ids.ts'
import type { Pool } from '../records/pool.ts'

/** A message to executors: ids only, of one provider instance; at most 64 operations. */
export interface ChainMessage {
  readonly deployment: DeploymentId
  readonly operations: readonly OperationId[]
  /** Whose queue it is in; absent: that of the short pool. */
  readonly pool?: Pool
  /** The provider instance, where the sender knows it: by it messages are put together. */
  readonly provider?: string
}

/** A message on loan: invisible to others until its time is over. */
export interface Delivery {
  readonly message: ChainMessage
  readonly receipt: string
  /** How often this message was delivered, this one included. */
  readonly deliveries: number
}

/** What executors of several processes may have on loan of one deployment together. */
export interface Share {
  /** Who takes. */
  readonly executor: ExecutorId
  readonly operationsMax: number
}

/** At least once, no order; after 5 deliveries a message is a dead letter. */
export interface ChainQueuePort {
  readonly send: (messages: readonly ChainMessage[]) => Promise<void>
  /**
   * Waits up to `waitMs` for at least one message; takes none once `signal` has aborted, and only
   * those of `deployment` when one is named (by an executor that serves no other), and of the
   * queue of `pool` when one is named (an executor without a time limit serves both). With `share`
   * and `deployment` it takes no more than leaves `operationsMax` operations on loan to all, one
   * message in any case when none is; what a retired executor took does not count.
   */
  readonly receive: (
    max: number,
    waitMs: number,
    options?: {
      readonly deployment?: DeploymentId
      readonly pool?: Pool
      readonly signal?: AbortSignal
      readonly share?: Share
    },
  ) => Promise<readonly Delivery[]>
  readonly remove: (receipt: string) => Promise<void>
  /** Makes the delivery invisible for another `ms`. False when it was given to someone else. */
  readonly extend: (receipt: string, ms: number) => Promise<boolean>
  readonly listDeadLetters: (deployment: DeploymentId) => Promise<readonly ChainMessage[]>
  /** Makes the dead letters of a deployment messages again, as if just sent; answers how many. */
  readonly redrive: (deployment: DeploymentId) => Promise<number>
}

/**
 * How the holder of a deployment stood when a nudge was sent: who finds it so when the nudge comes
 * knows that it is dead, and nobody has to wait and look.
 */
export interface ObservedHolder {
  /** `started` of the holder. */
  readonly life: string
  /** The counter of its lease; -1 when it had none. */
  readonly renewals: number
  /** The counters of executors that had not retired: who took over would have to wait and look. */
  readonly executors?: Readonly<Record<ExecutorId, number>>
}

/** What a nudge says besides the stack, where whoever gets it knows nothing else. */
export interface NudgeOptions {
  readonly seen?: ObservedHolder
  /** The pool of the generator that is to look; absent: the short one. */
  readonly pool?: Pool
}

/** Messages that only say "look at this stack". */
export interface NudgesPort {
  /** Processes that know holders and pools by themselves get no more of it than the stack. */
  readonly nudge: (stack: StackId, delayMs: number, options?: NudgeOptions) => Promise<void>
  /** Waits up to `waitMs` for a nudge: of `stack`, when one is named. */
  readonly receive: (
    waitMs: number,
    options?: { readonly stack?: StackId; readonly signal?: AbortSignal },
  ) => Promise<StackId | undefined>
}

/** Says when an operation ended; a shortcut, never the truth. */
export interface HintsPort {
  readonly hint: (deployment: DeploymentId, operation: OperationId) => void
  /** Calls back for every hint of a deployment; answers how to end that. */
  readonly listen: (
    deployment: DeploymentId,
    onHint: (operation: OperationId) => void,
  ) => () => void
}
