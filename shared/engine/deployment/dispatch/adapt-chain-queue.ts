import type { ChainMessage, ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentOptions } from '../../../records/log.ts'
import { mergeMessages } from './chain-messages.ts'

/**
 * The queue as a deployment uses it. Where processes of their own share its operations, each is a
 * message by itself: the queue bounds what they have on loan together, and a message stays on loan
 * until the last of its operations has ended. For functions, each call of which is paid for,
 * messages that wait while one is on its way to the queue are put together.
 */
export function adaptChainQueue(
  { execute }: Pick<DeploymentOptions, 'execute'>,
  chains: ChainQueuePort,
): ChainQueuePort {
  // Whoever sends is named in the order of effects; this only passes it on.
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

/** One send at a time: what comes meanwhile goes with the next one, and fails with it. */
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
