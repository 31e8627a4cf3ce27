import type { ChainQueuePort } from '../../ports/queue.ts'
import type { DeploymentOptions } from '../../records/log.ts'

/**
 * The queue as a deployment uses it. Where processes of their own share its operations, each is a
 * message by itself: the queue bounds what they have on loan together, and a message stays on loan
 * until the last of its operations has ended.
 */
export function chainsOf(
  { execute }: Pick<DeploymentOptions, 'execute'>,
  chains: ChainQueuePort,
): ChainQueuePort {
  if (execute !== 'elsewhere') return chains
  // Whoever sends is named in the order of effects; this only passes it on.
  const { send } = chains
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
