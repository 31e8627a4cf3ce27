import type { ChainMessage, ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentOptions } from '../../../records/log.ts'
import { mergeMessages } from './chain-messages.ts'

/**
 * Adapts the queue to a deployment. Where separate processes share its operations, each operation
 * is a message of its own. The queue limits the operations in delivery to all of them together, and
 * a message stays in delivery until its last operation has ended. Functions are billed per call, so
 * their messages are merged while an earlier send is in progress.
 */
export function adaptChainQueue(
  { execute }: Pick<DeploymentOptions, 'execute'>,
  chains: ChainQueuePort,
): ChainQueuePort {
  // The order of effects names the caller of `send`; this file only forwards the call.
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
 * Sends one batch at a time. Messages that arrive meanwhile form the next batch, and fail with it.
 */
function coalesceSends(send: ChainQueuePort['send']): ChainQueuePort['send'] {
  let waiting: ChainMessage[] = []
  let next: Promise<void> | undefined
  let underWay: Promise<void> = Promise.resolve()
  const sendWaiting = async (): Promise<void> => {
    await underWay.catch(() => undefined)
    const messages = mergeMessages(waiting)
    waiting = []
    next = undefined
    underWay = send(messages)
    await underWay
  }
  return messages => {
    waiting.push(...messages)
    next ??= sendWaiting()
    return next
  }
}
