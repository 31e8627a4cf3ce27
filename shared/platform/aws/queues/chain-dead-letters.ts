import type { SQSClient } from '@aws-sdk/client-sqs'
import { messageOf } from '../../../errors/error.ts'
import type { ChainMessage, ChainQueuePort } from '../../../ports/queue.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import type { Pool } from '../../../records/pool.ts'
import { decodeChainMessage } from './chain-message-codec.ts'
import { scanDeadLetters } from './scan-dead-letters.ts'
import type { QueueUrls } from './receive-messages.ts'
import { sendBodies } from './send-bodies.ts'

/** Dependencies of the dead letters of chains. */
interface DeadLetterDeps {
  readonly sqs: SQSClient
  readonly queues: Readonly<Record<Pool, QueueUrls>>
  readonly blobs: Pick<BlobsPort, 'get'>
  readonly clock: ClockPort
  readonly logger: LoggerPort
  /** Called with the number of messages sent to the long pool. Never rejects. */
  readonly onLongPoolSend?: (count: number) => Promise<void>
}

/**
 * Creates the access to a deployment's dead letters. Each call scans the dead-letter queues of both
 * pools, which is cheap, because dead letters are rare. A redrive sends the same bodies again and
 * then removes the dead letters. After a crash in between, the next redrive sends some bodies
 * twice, which is harmless.
 */
export function createChainDeadLetters(
  deps: DeadLetterDeps,
): Pick<ChainQueuePort, 'listDeadLetters' | 'redrive'> {
  const { queues, blobs, logger } = deps
  return {
    listDeadLetters: async deployment => {
      const messages: ChainMessage[] = []
      const collectMessages = ({ deadLetterUrl }: QueueUrls) =>
        scanDeadLetters(deps, deadLetterUrl, async letters => {
          for (const { id, body } of letters) {
            const decoded = decodeChainMessage(body, blobs)
            if (decoded?.deployment !== deployment) continue
            try {
              messages.push(await decoded.readMessage())
            } catch (thrown) {
              // A dead letter without its blob must not hide others.
              logger.write('error', 'dead-letter.unreadable', { id, why: messageOf(thrown) })
            }
          }
          // No letter is removed.
          return []
        })
      await Promise.all(Object.values(queues).map(collectMessages))
      return messages
    },
    redrive: async deployment => {
      let count = 0
      const requeueLetters = (pool: Pool, { url, deadLetterUrl }: QueueUrls) =>
        scanDeadLetters(deps, deadLetterUrl, async letters => {
          const deploymentLetters = letters.filter(
            ({ body }) => decodeChainMessage(body, blobs)?.deployment === deployment,
          )
          await sendBodies(
            deps,
            url,
            deploymentLetters.map(({ body }) => body),
          )
          count += deploymentLetters.length
          if (pool === 'long' && deploymentLetters.length > 0)
            await deps.onLongPoolSend?.(deploymentLetters.length)
          return deploymentLetters
        })
      await Promise.all([
        requeueLetters('short', queues.short),
        requeueLetters('long', queues.long),
      ])
      return count
    },
  }
}
