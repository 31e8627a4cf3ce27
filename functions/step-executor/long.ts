import { type LongTurn, runLongPool } from '../surroundings/long-pool.ts'
import { serveDeliveries } from './serve-deliveries.ts'

/** How long one poll waits, in ms: as long as SQS does. */
const pollMs = 20_000
/** Messages that one task takes at once: each names up to 64 operations. */
const deliveriesMax = 4

/** The step executor as a task without a time limit, for operations that take long. */
const turn: LongTurn = async ({ platform, server, leave }, { over, during }) => {
  const { chains } = platform
  const about = { pool: 'long', signal: over } as const
  const deliveries = await chains.receive(deliveriesMax, pollMs, about)
  if (deliveries.length === 0) return
  const serving = { time: { pool: 'long' } } as const
  const { failed, elsewhere } = await during(serveDeliveries(server(), deliveries, serving))
  for (const { receipt } of failed) await chains.extend(receipt, 0)
  for (const { message, receipt } of elsewhere) {
    await chains.send([{ ...message, pool: 'long' }])
    await chains.remove(receipt)
  }
  if (elsewhere.length > 0) leave()
}

await runLongPool(turn)
