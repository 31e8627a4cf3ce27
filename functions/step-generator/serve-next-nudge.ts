import { limits } from '../../shared/config/limits.ts'
import type { AwsNudges } from '../../shared/platform/aws/queues/nudges.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
import type { LoggerPort } from '../../shared/ports/system.ts'
import type { LongPoolRound } from '../aws/run-long-pool.ts'
import { refuseMessages } from '../aws/stack-binding.ts'
import { serveStack } from './serve-stack.ts'

/** Duration of one poll, in ms: the maximum of SQS. */
const pollMs = 20_000

/**
 * Serves the next nudge, in a task without a time limit. A nudge that fails is sent again. Throws
 * the errors of `serveStack`.
 */
export const serveNextNudge: LongPoolRound = async (
  { platform, createGeneratorDeps, endEnvironment, usage },
  { shutdown, protectWhile },
) => {
  const { logger, nudges } = platform
  const delivery = await nudges.receiveNudge(pollMs, shutdown)
  if (delivery === undefined) return
  const { nudge, message } = delivery
  try {
    const serveOutcome = await protectWhile(() =>
      usage.measure(() =>
        serveStack(createGeneratorDeps(), { ...nudge, pool: 'long' }, { handOverSignal: shutdown }),
      ),
    )
    logger.write('info', 'nudge.served', { stack: nudge.stack, served: serveOutcome })
    if (serveOutcome !== 'wrong environment') return
    if (await refuseMessages([message], raw => nudges.requeue(raw))) endEnvironment()
  } catch (thrown) {
    await retryNudge({ logger, nudges }, message)
    throw thrown
  }
}

/**
 * Sends the message of a failed nudge again. After its last delivery the nudge is dropped, because
 * the hourly reconciliation nudges each stack with due work.
 */
async function retryNudge(
  deps: { readonly logger: LoggerPort; readonly nudges: Pick<AwsNudges, 'requeue'> },
  message: RawMessage,
): Promise<void> {
  const { deliveries } = message
  if (deliveries >= limits.deliveriesMax) {
    deps.logger.write('error', 'nudge.dropped', { deliveries })
    return
  }
  // The delivery failed, so it counts, unlike one that is refused.
  const retriedMessage = { ...message, deliveries: deliveries + 1 }
  await deps.nudges.requeue(retriedMessage, limits.visibilityMs)
}
