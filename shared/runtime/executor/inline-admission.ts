import { limits } from '../../config/limits.ts'
import type { ChainMessage } from '../../ports/queue.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { OperationId } from '../../records/ids.ts'

/** The messages of one send: operations for this process, and messages for the queue. */
export interface DividedMessages {
  readonly inlineIds: readonly OperationId[]
  readonly queuedMessages: readonly ChainMessage[]
}

/** The rules for the operations that a generator runs itself. */
export interface InlineAdmission {
  /**
   * Longest expected duration of an inline operation, in ms. The executor of inline operations
   * sends any longer one to the queue, because a generator cannot park while it runs one. A parked
   * deployment has no generator until an operation ends.
   */
  readonly operationMs: number
  /** Reports whether three quarters of the time limit remain, enough for a slow operation. */
  readonly hasTime: () => boolean
  /**
   * Divides the messages of one send. A message that names a pool or has a delay goes to the queue
   * unchanged. Operations of other messages that already run in this process are left out. If
   * `mayRun` is false, the remaining operations go to the queue.
   */
  readonly divide: (
    messages: readonly ChainMessage[],
    state: {
      readonly runningIds: { readonly size: number; readonly has: (id: OperationId) => boolean }
      readonly mayRun: boolean
    },
  ) => DividedMessages
}

/**
 * Creates the admission of one generator run. A send that would exceed `operationsMax` goes to the
 * queue as a whole, so that one executor starts its plugins for all its operations. The deployment
 * is then wide, and for `inlinePauseMs` all sends go to the queue. Otherwise a wide deployment
 * would always run some operations in the process that makes its decisions.
 */
export function createInlineAdmission(
  clock: Pick<ClockPort, 'monotonicMs'>,
  { operationsMax, limitMs }: { readonly operationsMax: number; readonly limitMs: number },
): InlineAdmission {
  const startedMs = clock.monotonicMs()
  let wideUntilMs = -Infinity
  return {
    operationMs: Math.min(limits.parkAfterMs, limitMs / 4),
    hasTime: () => clock.monotonicMs() - startedMs < limitMs / 4,
    divide(messages, { runningIds, mayRun }) {
      const newMessages = messages.flatMap(message => {
        const operations = message.operations.filter(id => !runningIds.has(id))
        return isForQueue(message) || operations.length > 0
          ? [isForQueue(message) ? message : { ...message, operations }]
          : []
      })
      const inlineIds = newMessages.flatMap(message =>
        isForQueue(message) ? [] : message.operations,
      )
      const isWide = runningIds.size + new Set(inlineIds).size > operationsMax
      const nowMs = clock.monotonicMs()
      if (isWide) wideUntilMs = nowMs + limits.inlinePauseMs
      if (!mayRun || nowMs < wideUntilMs) return { inlineIds: [], queuedMessages: newMessages }
      return { inlineIds: [...new Set(inlineIds)], queuedMessages: newMessages.filter(isForQueue) }
    },
  }
}

/**
 * Reports whether a message names a pool or has a delay. Only the queue can deliver such a message.
 */
function isForQueue({ pool, delayMs }: ChainMessage): boolean {
  return pool !== undefined || delayMs !== undefined
}
