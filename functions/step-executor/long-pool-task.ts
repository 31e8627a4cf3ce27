import { type LongPoolRound, runLongPool } from '../aws/run-long-pool.ts'
import { refuseMessages } from '../aws/stack-binding.ts'
import { serveDeliveries } from './serve-deliveries.ts'

/** Duration of one poll, in ms: the maximum of SQS. */
const pollMs = 20_000
/** Maximum number of messages that a task receives in one batch. Each names up to 64 operations. */
const deliveriesMax = 4

/** Serves the next messages of slow operations, in a task without a time limit. */
const serveNextChains: LongPoolRound = async (
  { platform, createExecutorDeps, endEnvironment, usage },
  { shutdown, protectWhile },
) => {
  const { chains } = platform
  const pollOptions = { pool: 'long', signal: shutdown } as const
  const deliveries = await chains.receive(deliveriesMax, pollMs, pollOptions)
  if (deliveries.length === 0) return
  const { failedDeliveries, foreignDeliveries } = await protectWhile(() =>
    usage.measure(() => serveDeliveries(createExecutorDeps(), deliveries, { pool: 'long' })),
  )
  // With a visibility timeout of 0, the queue delivers the messages again immediately.
  for (const { receipt } of failedDeliveries) await chains.extend(receipt, 0)
  const foreignMessages = foreignDeliveries.map(({ rawMessage }) => rawMessage)
  // A message that many tasks have refused ends this task, so that a new task can serve its stack.
  const mustEnd = await refuseMessages(foreignMessages, message => chains.requeue('long', message))
  if (mustEnd) endEnvironment()
}

await runLongPool('executor', 'chains-long', serveNextChains)
