import type { SQSClient } from '@aws-sdk/client-sqs'
import { messageOf } from '../../../errors/error.ts'
import type { ChainMessage, ChainQueuePort } from '../../../ports/queue.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import type { ClockPort, LogPort } from '../../../ports/system.ts'
import type { Pool } from '../../../records/pool.ts'
import { readBody } from './chain-form.ts'
import { lookThrough } from './look-through.ts'
import type { QueueUrls } from './poll.ts'
import { sendBodies } from './send.ts'

/** What the dead letters of chains need. */
interface DeadLetterDeps {
  readonly sqs: SQSClient
  readonly queues: Readonly<Record<Pool, QueueUrls>>
  readonly blobs: Pick<BlobsPort, 'get'>
  readonly clock: ClockPort
  readonly log: LogPort
}

/**
 * The dead letters of a deployment, found by looking through all of both pools: they are few, or
 * something is badly wrong. A redrive sends the same bodies again and then removes the letters, so
 * that who dies in between has sent some twice, which is harmless.
 */
export function createDeadLetters(
  deps: DeadLetterDeps,
): Pick<ChainQueuePort, 'deadLetters' | 'redrive'> {
  const { queues, blobs, log } = deps
  return {
    deadLetters: async deployment => {
      const found: ChainMessage[] = []
      const look = ({ deadUrl }: QueueUrls) =>
        lookThrough(deps, deadUrl, async letters => {
          for (const { id, body } of letters) {
            const read = readBody(body, blobs)
            if (read?.deployment !== deployment) continue
            try {
              found.push(await read.message())
            } catch (thrown) {
              // One letter without its blob hides no other.
              log.write('error', 'dead-letter.unreadable', { id, why: messageOf(thrown) })
            }
          }
          return []
        })
      await Promise.all(Object.values(queues).map(look))
      return found
    },
    redrive: async deployment => {
      let count = 0
      const look = ({ url, deadUrl }: QueueUrls) =>
        lookThrough(deps, deadUrl, async letters => {
          const own = letters.filter(({ body }) => readBody(body, blobs)?.deployment === deployment)
          await sendBodies(
            deps,
            url,
            own.map(({ body }) => body),
          )
          count += own.length
          return own
        })
      await Promise.all(Object.values(queues).map(look))
      return count
    },
  }
}
