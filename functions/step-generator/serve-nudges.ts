import { messageOf } from '../../shared/errors/error.ts'
import type { AwsSurroundings } from '../surroundings/aws.ts'
import {
  type BatchAnswer,
  type CallContext,
  comeAgain,
  limitOf,
  messagesIn,
} from '../surroundings/sqs-event.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/poll.ts'
import { type Served, serveStack } from './serve-stack.ts'

/**
 * Serves the nudges that Lambda hands over, one after another within the time of the call. A nudge
 * for another stack than that of this environment is sent again, and the environment ends.
 */
export async function serveNudges(
  aws: AwsSurroundings,
  event: unknown,
  context: CallContext,
): Promise<BatchAnswer> {
  const { platform } = aws
  const again: string[] = []
  let isElsewhere = false
  for (const message of messagesIn(event)) {
    try {
      const served = await serveNudge(aws, message, context)
      if (served !== 'elsewhere') continue
      await platform.nudges.sendAgain(message)
      isElsewhere = true
    } catch (thrown) {
      platform.journal.write('error', 'nudge.failed', { message: messageOf(thrown) })
      again.push(message.id)
    }
  }
  if (isElsewhere) aws.leave()
  return comeAgain(again)
}

async function serveNudge(
  { platform, places, generator }: AwsSurroundings,
  { body }: RawMessage,
  context: CallContext,
): Promise<Served | undefined> {
  const nudge = await platform.nudges.fromEvent(body)
  if (nudge === undefined) return undefined
  const { stack } = nudge
  const time = { limitMs: limitOf(context) }
  const served = await serveStack(generator(), { ...nudge, pool: places.pool }, time)
  platform.journal.write('info', 'nudge.served', { stack, served })
  return served
}
