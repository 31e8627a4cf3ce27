import { refuseMessages } from '../aws/stack-binding.ts'
import { type LongPoolRound, runLongPool } from '../aws/run-long-pool.ts'
import { serveStack } from './serve-stack.ts'

/** Duration of one poll, in ms: the maximum of SQS. */
const pollMs = 20_000

/** Serves the next nudge, in a task without a time limit. */
const serveNextNudge: LongPoolRound = async (
  { platform, createGeneratorDeps, endEnvironment, usage },
  { shutdown, protectWhile },
) => {
  const delivery = await platform.nudges.receiveNudge(pollMs, shutdown)
  if (delivery === undefined) return
  const { nudge, message } = delivery
  const serveOutcome = await protectWhile(() =>
    usage.measure(() =>
      serveStack(createGeneratorDeps(), { ...nudge, pool: 'long' }, { handOverSignal: shutdown }),
    ),
  )
  platform.logger.write('info', 'nudge.served', { stack: nudge.stack, served: serveOutcome })
  if (serveOutcome !== 'wrong environment') return
  // A nudge that many tasks have refused ends this task, so that a new task can serve its stack.
  const mustEnd = await refuseMessages([message], platform.nudges.requeue)
  if (mustEnd) endEnvironment()
}

await runLongPool('generator', 'nudges-long', serveNextNudge)
