import { type LongTurn, runLongPool } from '../surroundings/long-pool.ts'
import { serveDeliveries } from './serve-deliveries.ts'

/** How long one poll waits, in ms: as long as SQS does. */
const pollMs = 20_000
/** Messages that one task takes at once: each names up to 64 operations. */
const deliveriesMax = 4

/** The step executor as a task without a time limit, for operations that take long. */
const turn: LongTurn = async ({ platform, server }, { over, during }) => {
  const about = { pool: 'long', signal: over } as const
  const deliveries = await platform.chains.receive(deliveriesMax, pollMs, about)
  if (deliveries.length === 0) return
  const failed = await during(serveDeliveries(server(), deliveries, { time: { pool: 'long' } }))
  for (const { receipt } of failed) await platform.chains.extend(receipt, 0)
}

await runLongPool(turn)
