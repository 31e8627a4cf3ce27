import { messageOf } from '../../shared/errors/error.ts'
import type { AwsSurroundings } from '../surroundings/aws.ts'
import {
  type BatchAnswer,
  type CallContext,
  comeAgain,
  limitOf,
  messagesIn,
} from '../surroundings/sqs-event.ts'
import { serveStack } from './serve-stack.ts'

/** Serves the nudges that Lambda hands over, one after another within the time of the call. */
export async function serveNudges(
  { platform, places, generator }: AwsSurroundings,
  event: unknown,
  context: CallContext,
): Promise<BatchAnswer> {
  const again: string[] = []
  for (const { id, body } of messagesIn(event)) {
    try {
      const nudge = await platform.nudges.fromEvent(body)
      if (nudge === undefined) continue
      const nudged = { ...nudge, pool: places.pool }
      const served = await serveStack(generator(), nudged, { limitMs: limitOf(context) })
      platform.journal.write('info', 'nudge.served', { stack: nudge.stack, served })
    } catch (thrown) {
      platform.journal.write('error', 'nudge.failed', { message: messageOf(thrown) })
      again.push(id)
    }
  }
  return comeAgain(again)
}
