import type { ChainMessage } from '../../ports/queue.ts'
import type { OperationId } from '../../records/ids.ts'
import { mergeMessages } from '../deployment/dispatch/chain-messages.ts'
import type { ExecutorPorts } from './execution-context.ts'
import type { Admission } from './pool-admission.ts'

/**
 * The operations of a message that this executor leaves to others. They do not fit into its
 * remaining time, or must wait longer for a limit than it can.
 */
export interface DeferredOperations {
  readonly add: (
    id: OperationId,
    admission: Exclude<Admission, 'now'>,
    /** Time before the next delivery of the operation, in ms. Absent: 0. */
    delayMs?: number,
  ) => void
  /** Sends the added operations to other executors. Called before their message is removed. */
  readonly send: () => Promise<void>
}

/** Creates the deferred operations of one message. */
export function createDeferredOperations(
  ports: Pick<ExecutorPorts, 'chains'>,
  { deployment, pool }: ChainMessage,
): DeferredOperations {
  const messages: ChainMessage[] = []
  return {
    add(id, admission, delayMs = 0) {
      const messagePool = admission === 'long' ? 'long' : pool
      const wholeSeconds = Math.ceil(delayMs / 1_000)
      messages.push({
        deployment,
        operations: [id],
        ...(messagePool === undefined ? {} : { pool: messagePool }),
        ...(wholeSeconds === 0 ? {} : { delayMs: wholeSeconds * 1_000 }),
      })
    },
    async send() {
      if (messages.length > 0) await ports.chains.send(mergeMessages(messages))
    },
  }
}
