import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ClockPort, LogPort } from '../../../ports/system.ts'
import { guarded } from '../failures.ts'
import { batchesOf, wholeBatch } from './batches.ts'
import { isVoid } from './loans.ts'
import { nameOfQueue, type RawMessage, receiveOnce } from './poll.ts'

/** What looking through dead letters needs. */
interface LookDeps {
  readonly sqs: SQSClient
  readonly clock: ClockPort
  readonly log: LogPort
}

/**
 * Shows every message of a dead-letter queue to `use`, which answers those that it has dealt with:
 * they are removed, and the others put back as they were. SQS cannot be read without receiving, so
 * the messages are hidden from others meanwhile: of two who look at once, each may see a part. Goes
 * through at most 5,000 messages, and says so when there are more. Who dies in between leaves all
 * in the queue, visible again after 30 s.
 */
export async function lookThrough(
  deps: LookDeps,
  url: string,
  use: (letters: readonly RawMessage[]) => Promise<readonly RawMessage[]>,
): Promise<void> {
  const held = new Map<string, RawMessage>()
  let dealtWith: readonly RawMessage[] = []
  try {
    await holdAll(deps, url, held)
    dealtWith = await use([...held.values()])
    await removeAll(deps, url, dealtWith)
  } finally {
    const gone = new Set(dealtWith.map(({ id }) => id))
    await putBack(
      deps,
      url,
      [...held.values()].filter(({ id }) => !gone.has(id)),
    )
  }
}

async function holdAll(deps: LookDeps, url: string, held: Map<string, RawMessage>): Promise<void> {
  const ask = { max: awsLimits.batchMax, visibilityMs: awsLimits.deadLetterLoanMs }
  while (held.size < awsLimits.deadLettersMax) {
    // Only a receive that waits asks all of the servers over which a queue is spread.
    const letters = await receiveOnce(deps.sqs, url, { ...ask, waitMs: awsLimits.turnMs })
    if (letters.length === 0) return
    for (const letter of letters) held.set(letter.id, letter)
  }
  deps.log.write('warn', 'dead-letters.many', { queue: nameOfQueue(url), seen: held.size })
}

async function removeAll(
  deps: LookDeps,
  url: string,
  letters: readonly RawMessage[],
): Promise<void> {
  const what = `queue ${nameOfQueue(url)}: delete`
  for (const batch of batchesOf(entriesOf(letters), () => 0))
    await wholeBatch(deps.clock, what, batch, async Entries => {
      const command = new DeleteMessageBatchCommand({ QueueUrl: url, Entries })
      const { Failed = [] } = await deps.sqs.send(command)
      // A void receipt: somebody else received the letter meanwhile, and deals with it.
      return Failed.filter(({ Code }) => !isVoid(Code))
    })
}

/** What cannot be put back comes back by itself. */
async function putBack(deps: LookDeps, url: string, letters: readonly RawMessage[]): Promise<void> {
  const entries = entriesOf(letters).map(entry => ({ ...entry, VisibilityTimeout: 0 }))
  for (const batch of batchesOf(entries, () => 0)) {
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries: [...batch] })
    await guarded(`queue ${nameOfQueue(url)}: put back`, () => deps.sqs.send(command)).catch(
      (thrown: unknown) => deps.log.write('warn', 'dead-letters.hidden', { why: String(thrown) }),
    )
  }
}

function entriesOf(letters: readonly RawMessage[]) {
  return letters.map(({ handle }, index) => ({ Id: String(index), ReceiptHandle: handle }))
}
