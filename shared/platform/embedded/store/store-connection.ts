import type { DeployError } from '../../../errors/error.ts'
import type { StoreReply, StoreRequest } from './store-message.ts'

/** A way to the store: its own thread, or the socket of the process that owns it. */
export interface StoreConnection {
  readonly kind: 'owner' | 'client'
  readonly send: (requests: readonly StoreRequest[]) => void
  /** Sends a request that has no reply, to whoever else is connected. */
  readonly signal: (request: StoreRequest) => void
  /** Keeps this process alive while answers are awaited, and only then. */
  readonly keepAlive: (awaited: boolean) => void
  readonly close: () => Promise<void>
}

/** What a connection tells its user. */
export interface ConnectionEvents {
  readonly onReplies: (replies: readonly StoreReply[]) => void
  /** Once, unless its user closed it. Requests without a reply may or may not have taken effect. */
  readonly onLost: (reason: DeployError) => void
}
