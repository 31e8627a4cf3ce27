import { type LongTurn, runLongPool } from '../surroundings/long-pool.ts'
import { serveStack } from './serve-stack.ts'

/** How long one poll waits, in ms: as long as SQS does. */
const pollMs = 20_000

/** The step generator as a task without a time limit: one deployment at a time. */
const turn: LongTurn = async ({ platform, generator, leave }, { over, during }) => {
  const nudge = await platform.nudges.take(pollMs, over)
  if (nudge === undefined) return
  const served = await during(serveStack(generator(), { ...nudge, pool: 'long' }, { leave: over }))
  platform.journal.write('info', 'nudge.served', { stack: nudge.stack, served })
  if (served !== 'elsewhere') return
  await platform.nudges.nudge(nudge.stack, 0, { ...nudge, pool: 'long' })
  leave()
}

await runLongPool(turn)
