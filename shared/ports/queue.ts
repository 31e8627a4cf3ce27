import type { DeploymentId, ExecutorId, OperationId, StackId } from '../records/ids.ts'
import type { Pool } from '../records/pool.ts'

/** A message to executors: ids of at most 64 operations of one provider instance. */
export interface ChainMessage {
  readonly deployment: DeploymentId
  readonly operations: readonly OperationId[]
  /** The pool of the message's queue. Absent: the short pool. */
  readonly pool?: Pool
  /** The provider instance, if the sender knows it. Receivers do not get this field on AWS. */
  readonly provider?: string
  /**
   * Time after which the message is delivered, in ms. Absent: immediately. Receivers do not get
   * this field. A queue may round it up to whole seconds, and limits it to 15 minutes.
   */
  readonly delayMs?: number
}

/** A message in delivery. Other receivers cannot get it until its visibility timeout has passed. */
export interface Delivery {
  readonly message: ChainMessage
  readonly receipt: string
  /** Number of deliveries of this message, including this one. */
  readonly deliveries: number
  /**
   * The time at which the message was sent, in ms since 1970. Absent: the queue does not report it.
   */
  readonly sentAt?: number
}

/** A limit on the operations that are in delivery to all executors of one deployment together. */
export interface DeliveryLimit {
  /** The executor that receives. */
  readonly executor: ExecutorId
  readonly operationsMax: number
}

/**
 * The queue of chains: at-least-once delivery, no order. After 5 deliveries a message becomes a
 * dead letter.
 */
export interface ChainQueuePort {
  readonly send: (messages: readonly ChainMessage[]) => Promise<void>
  /**
   * Waits up to `waitMs` for at least one message. Receives no message after `signal` has aborted.
   *
   * With `deployment`, the call takes only messages of this deployment, for an executor that serves
   * no other deployment. With `pool`, the call takes only messages of that pool's queue. An
   * executor without a time limit serves both pools.
   *
   * With `deliveryLimit` and `deployment`, the call keeps the operations in delivery to all
   * executors within `operationsMax`. If no operation is in delivery, the call takes the first
   * message regardless of its size. Deliveries to a retired executor do not count.
   */
  readonly receive: (
    messagesMax: number,
    waitMs: number,
    options?: {
      readonly deployment?: DeploymentId
      readonly pool?: Pool
      readonly signal?: AbortSignal
      readonly deliveryLimit?: DeliveryLimit
    },
  ) => Promise<readonly Delivery[]>
  readonly remove: (receipt: string) => Promise<void>
  /**
   * Sets the visibility timeout of the delivery to `ms` from now. Returns false when the previous
   * timeout has passed, or when another executor got the message.
   */
  readonly extend: (receipt: string, ms: number) => Promise<boolean>
  readonly listDeadLetters: (deployment: DeploymentId) => Promise<readonly ChainMessage[]>
  /** Turns the dead letters of a deployment into new messages, and returns their number. */
  readonly redrive: (deployment: DeploymentId) => Promise<number>
}

/**
 * An observation of a deployment's holder at the time of a nudge. If the holder and its lease
 * counter are unchanged when the nudge arrives, the holder is dead. The receiver can then take over
 * without waiting.
 */
export interface ObservedHolder {
  /**
   * The text `started` of the holder, which identifies its process. For a deployment without a
   * control record, the text is the id of the deployment. The name of this field is part of the
   * message format.
   */
  readonly life: string
  /** The counter of the holder's lease, -1 without a lease. */
  readonly renewals: number
  /**
   * Lease counters of executors that had not retired. A take-over compares them with the current
   * counters, and therefore need not wait for a change.
   */
  readonly executors?: Readonly<Record<ExecutorId, number>>
}

/** Contents of a nudge besides the stack, for receivers that have no other source for them. */
export interface NudgeOptions {
  readonly observedHolder?: ObservedHolder
  /** Whether the receiver reports the expired approvals of the stack. Absent: no. */
  readonly reportsExpiredApprovals?: boolean
  /** The pool of the generator to wake. Absent: the short pool. */
  readonly pool?: Pool
}

/** Messages that request a check of a stack. */
export interface NudgesPort {
  /** Sends a nudge that arrives after `delayMs`. The embedded adapter ignores the options. */
  readonly nudge: (stack: StackId, delayMs: number, options?: NudgeOptions) => Promise<void>
  /** Waits up to `waitMs` for a nudge of any stack, or only of `stack` if it is set. */
  readonly receive: (
    waitMs: number,
    options?: { readonly stack?: StackId; readonly signal?: AbortSignal },
  ) => Promise<StackId | undefined>
}

/**
 * Hints that an operation may have ended, or that a hook operation is ready. They are an
 * optimization and may get lost.
 */
export interface HintsPort {
  readonly hint: (deployment: DeploymentId, operation: OperationId) => void
  /** Calls `onHint` for each hint that arrives. Returns a function that ends the calls. */
  readonly listen: (
    deployment: DeploymentId,
    onHint: (operation: OperationId) => void,
  ) => () => void
}
