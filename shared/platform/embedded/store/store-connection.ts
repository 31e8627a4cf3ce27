import type { DeployError } from '../../../errors/error.ts'
import type { StoreReply, StoreRequest } from './store-message.ts'

/** A connection to the store: to the thread of this process, or to the socket of the owner. */
export interface StoreConnection {
  readonly kind: 'owner' | 'client'
  readonly send: (requests: readonly StoreRequest[]) => void
  /** Sends a signal, as a request without a reply, to all other connected processes. */
  readonly signal: (request: StoreRequest) => void
  /** Keeps this process alive if `hasPendingRequests`, and otherwise lets it end. */
  readonly keepAlive: (hasPendingRequests: boolean) => void
  readonly close: () => Promise<void>
}

/** The callbacks of a connection. */
export interface ConnectionEvents {
  readonly onReplies: (replies: readonly StoreReply[]) => void
  /**
   * Called once when the connection was lost, but not after its `close`. Requests without a reply
   * may have taken effect.
   */
  readonly onLost: (reason: DeployError) => void
}
