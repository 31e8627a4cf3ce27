import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import { withAwsErrors } from '../aws-error.ts'
import { splitIntoBatches, completeBatch } from './sqs-batches.ts'
import { isInvalidReceiptError } from './delivery-receipts.ts'
import { queueNameOf, type RawMessage, receiveOnce } from './receive-messages.ts'

/** Dependencies of a scan. */
interface ScanDeps {
  readonly sqs: SQSClient
  readonly clock: ClockPort
  readonly logger: LoggerPort
}

/**
 * Passes the messages of a dead-letter queue to `selectRemovable`, which returns those to remove.
 * The others become visible again. SQS has no read without a receive, so the scan hides the
 * messages from other receivers while it runs. Two concurrent scans may therefore each see only a
 * part of the messages. The scan reads about 5,000 messages at most, and logs when the queue may
 * have more. After a crash, all messages are visible again within 30 s.
 */
export async function scanDeadLetters(
  deps: ScanDeps,
  url: string,
  selectRemovable: (letters: readonly RawMessage[]) => Promise<readonly RawMessage[]>,
): Promise<void> {
  const receivedLetters = new Map<string, RawMessage>()
  let removableLetters: readonly RawMessage[] = []
  try {
    await receiveLetters(deps, url, receivedLetters)
    removableLetters = await selectRemovable([...receivedLetters.values()])
    await removeLetters(deps, url, removableLetters)
  } finally {
    const removedIds = new Set(removableLetters.map(({ id }) => id))
    await makeLettersVisible(
      deps,
      url,
      [...receivedLetters.values()].filter(({ id }) => !removedIds.has(id)),
    )
  }
}

async function receiveLetters(
  deps: ScanDeps,
  url: string,
  receivedLetters: Map<string, RawMessage>,
): Promise<void> {
  const request = {
    messagesMax: awsLimits.batchEntriesMax,
    visibilityMs: awsLimits.deadLetterVisibilityMs,
  }
  while (receivedLetters.size < awsLimits.deadLettersMax) {
    // Only a long poll queries all servers that hold messages of the queue.
    const letters = await receiveOnce(deps.sqs, url, {
      ...request,
      waitMs: awsLimits.alternatingWaitMs,
    })
    if (letters.length === 0) return
    for (const letter of letters) receivedLetters.set(letter.id, letter)
  }
  deps.logger.write('warn', 'dead-letters.many', {
    queue: queueNameOf(url),
    seen: receivedLetters.size,
  })
}

async function removeLetters(
  deps: ScanDeps,
  url: string,
  letters: readonly RawMessage[],
): Promise<void> {
  const requestName = `queue ${queueNameOf(url)}: delete`
  for (const batch of splitIntoBatches(entriesOf(letters), () => 0))
    await completeBatch(deps.clock, requestName, batch, async Entries => {
      const command = new DeleteMessageBatchCommand({ QueueUrl: url, Entries })
      const { Failed = [] } = await deps.sqs.send(command)
      // Invalid receipt: another scan received the letter and processes it.
      return Failed.filter(({ Code }) => !isInvalidReceiptError(Code))
    })
}

/** Makes letters visible again. If the request fails, they become visible after their timeout. */
async function makeLettersVisible(
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
