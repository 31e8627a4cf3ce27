import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { splitIntoBatches, completeBatch } from './sqs-batches.ts'
import { queueNameOf } from './receive-messages.ts'

/**
 * Sends all bodies in batches. `delaysMs` has the delay of each body in ms, default 0. After a lost
 * response a body may be sent twice.
 */
export async function sendBodies(
  { sqs, clock }: { readonly sqs: SQSClient; readonly clock: ClockPort },
  url: string,
  bodies: readonly string[],
  delaysMs: readonly number[] = [],
): Promise<void> {
  const requestName = `queue ${queueNameOf(url)}: send`
  const entries = bodies.map((MessageBody, index) => {
    const delayMs = Math.min(awsLimits.messageDelayMaxMs, delaysMs[index] ?? 0)
    const DelaySeconds = Math.ceil(delayMs / 1_000)
    return { Id: String(index), MessageBody, ...(DelaySeconds > 0 ? { DelaySeconds } : {}) }
  })
  for (const batch of splitIntoBatches(entries, ({ MessageBody }) =>
    Buffer.byteLength(MessageBody),
  ))
    await completeBatch(clock, requestName, batch, async Entries => {
      const command = new SendMessageBatchCommand({ QueueUrl: url, Entries })
      const { Failed = [] } = await sqs.send(command)
      return Failed
    })
}
