import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import { withAwsErrors } from '../aws-error.ts'
import { splitIntoBatches, completeBatch } from './sqs-batches.ts'
import { isVoidReceipt } from './visibility-timeouts.ts'
import { queueNameOf, type RawMessage, receiveOnce } from './receive-messages.ts'

/** Dependencies of a scan. */
interface ScanDeps {
  readonly sqs: SQSClient
  readonly clock: ClockPort
  readonly logger: LoggerPort
}

/**
 * Passes all messages of a dead-letter queue to `handle`, which returns the processed ones. Those
 * are removed, and the others become visible again. SQS has no read without a receive, so the
 * messages are hidden meanwhile. Of two concurrent scans, each may see only a part. The scan reads
 * at most 5,000 messages and logs when there are more. After a crash all messages are visible again
 * within 30 s.
 */
export async function scanDeadLetters(
  deps: ScanDeps,
  url: string,
  handle: (letters: readonly RawMessage[]) => Promise<readonly RawMessage[]>,
): Promise<void> {
  const held = new Map<string, RawMessage>()
  let dealtWith: readonly RawMessage[] = []
  try {
    await receiveAll(deps, url, held)
    dealtWith = await handle([...held.values()])
    await removeAll(deps, url, dealtWith)
  } finally {
    const gone = new Set(dealtWith.map(({ id }) => id))
    await returnAll(
      deps,
      url,
      [...held.values()].filter(({ id }) => !gone.has(id)),
    )
  }
}

async function receiveAll(
  deps: ScanDeps,
  url: string,
  held: Map<string, RawMessage>,
): Promise<void> {
  const request = { max: awsLimits.batchMax, visibilityMs: awsLimits.deadLetterLoanMs }
  while (held.size < awsLimits.deadLettersMax) {
    // Only a long poll queries all servers that hold messages of the queue.
    const letters = await receiveOnce(deps.sqs, url, { ...request, waitMs: awsLimits.turnMs })
    if (letters.length === 0) return
    for (const letter of letters) held.set(letter.id, letter)
  }
  deps.logger.write('warn', 'dead-letters.many', { queue: queueNameOf(url), seen: held.size })
}

async function removeAll(
  deps: ScanDeps,
  url: string,
  letters: readonly RawMessage[],
): Promise<void> {
  const what = `queue ${queueNameOf(url)}: delete`
  for (const batch of splitIntoBatches(entriesOf(letters), () => 0))
    await completeBatch(deps.clock, what, batch, async Entries => {
      const command = new DeleteMessageBatchCommand({ QueueUrl: url, Entries })
      const { Failed = [] } = await deps.sqs.send(command)
      // Invalid receipt: another scan received the letter and processes it.
      return Failed.filter(({ Code }) => !isVoidReceipt(Code))
    })
}

/** Makes the letters visible again. After a failure they become visible by their timeout. */
async function returnAll(
  deps: ScanDeps,
  url: string,
  letters: readonly RawMessage[],
): Promise<void> {
  const entries = entriesOf(letters).map(entry => ({ ...entry, VisibilityTimeout: 0 }))
  for (const batch of splitIntoBatches(entries, () => 0)) {
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries: [...batch] })
    await withAwsErrors(`queue ${queueNameOf(url)}: put back`, () => deps.sqs.send(command)).catch(
      (thrown: unknown) =>
        deps.logger.write('warn', 'dead-letters.hidden', { why: String(thrown) }),
    )
  }
}

function entriesOf(letters: readonly RawMessage[]) {
  return letters.map(({ handle }, index) => ({ Id: String(index), ReceiptHandle: handle }))
}
