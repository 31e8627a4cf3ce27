import { messageOf } from '../../shared/errors/error.ts'
import type { FunctionResources } from '../aws/function-resources.ts'
import { refuseMessages } from '../aws/stack-binding.ts'
import {
  type BatchAnswer,
  type CallContext,
  createBatchAnswer,
  callLimitOf,
  readSqsMessages,
} from '../aws/sqs-event.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
import { type ServeOutcome, serveStack } from './serve-stack.ts'

/**
 * Handles the nudges that Lambda passes, in sequence, within the time of the call. A nudge for a
 * stack other than this environment's is sent again. The environment ends if many others refused
 * it, or if an unreviewed program has run. Lambda then delivers the rest of the nudges again.
 */
export async function serveNudges(
  resources: FunctionResources,
  event: unknown,
  context: CallContext,
): Promise<BatchAnswer> {
  const { platform } = resources
  const failedIds: string[] = []
  let mustEndEnvironment = false
  for (const message of readSqsMessages(event)) {
    try {
      const serveOutcome = await serveNudge(resources, message, context)
      if (serveOutcome === 'elsewhere') {
        const mustEnd = await refuseMessages([message], platform.nudges.requeue)
        mustEndEnvironment ||= mustEnd
      } else if (resources.hasRunUnreviewed()) {
        // The end of the environment fails the call, which would deliver a served nudge again.
        await platform.nudges.remove(message)
      }
    } catch (thrown) {
      platform.logger.write('error', 'nudge.failed', { message: messageOf(thrown) })
      failedIds.push(message.id)
    }
    if (resources.hasRunUnreviewed()) {
      mustEndEnvironment = true
      break
    }
  }
  if (mustEndEnvironment) resources.endEnvironment()
  return createBatchAnswer(failedIds)
}

async function serveNudge(
  { platform, awsResources, createGenerator }: FunctionResources,
  { body }: RawMessage,
  context: CallContext,
): Promise<ServeOutcome | undefined> {
  const nudge = await platform.nudges.fromEvent(body)
  if (nudge === undefined) return undefined
  const { stack } = nudge
  const time = { limitMs: callLimitOf(context) }
  const serveOutcome = await serveStack(
    createGenerator(),
    { ...nudge, pool: awsResources.pool },
    time,
  )
  platform.logger.write('info', 'nudge.served', { stack, served: serveOutcome })
  return serveOutcome
}
