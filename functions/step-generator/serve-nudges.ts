import { messageOf } from '../../shared/errors/error.ts'
import type { FunctionResources } from '../aws/function-resources.ts'
import { refuseMessages } from '../aws/stack-binding.ts'
import {
  type BatchResponse,
  type CallContext,
  createBatchResponse,
  callLimitMsOf,
  readSqsMessages,
} from '../aws/sqs-event.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
import { type ServeOutcome, serveStack } from './serve-stack.ts'

/**
 * Serves the nudges that Lambda passes, in sequence, within the time of the call. A nudge for
 * another stack than that of this environment is sent again. The environment ends if many
 * environments have refused such a nudge, or if the program of an unreviewed preview has run here.
 * Lambda then delivers the remaining nudges again.
 */
export async function serveNudges(
  resources: FunctionResources,
  event: unknown,
  context: CallContext,
): Promise<BatchResponse> {
  const { platform } = resources
  const failedIds: string[] = []
  let mustEndEnvironment = false
  for (const message of readSqsMessages(event)) {
    try {
      const serveOutcome = await resources.usage.measure(() =>
        serveNudge(resources, message, context),
      )
      if (serveOutcome === 'wrong environment') {
        const mustEnd = await refuseMessages([message], platform.nudges.requeue)
        mustEndEnvironment ||= mustEnd
      } else if (resources.hasRunUnreviewed()) {
        // The environment ends during this call. Lambda then redelivers each nudge that was not
        // removed.
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
  // Lambda freezes the process after the call, and with it everything that is not sent yet.
  await platform.telemetry.flush()
  if (mustEndEnvironment) resources.endEnvironment()
  return createBatchResponse(failedIds)
}

async function serveNudge(
  { platform, awsResources, createGeneratorDeps }: FunctionResources,
  { body }: RawMessage,
  context: CallContext,
): Promise<ServeOutcome | undefined> {
  const nudge = await platform.nudges.fromEvent(body)
  if (nudge === undefined) return undefined
  const { stack } = nudge
  const time = { limitMs: callLimitMsOf(context) }
  const serveOutcome = await serveStack(
    createGeneratorDeps(),
    { ...nudge, pool: awsResources.pool },
    time,
  )
  platform.logger.write('info', 'nudge.served', { stack, served: serveOutcome })
  return serveOutcome
}
