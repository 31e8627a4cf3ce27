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
import type { AwsDelivery } from '../../shared/platform/aws/queues/chain-queue.ts'
import { serveDeliveries } from './serve-deliveries.ts'
import type { WarmCache } from './warm-cache.ts'

/**
 * Handles the chains that Lambda passes. Failed ones are delivered again. Chains of a stack other
 * than this environment's are sent again. The environment ends if many others refused one of them.
 * `warmCache`: kept between the calls of this environment.
 */
export async function serveChains(
  { platform, awsResources, createServer, endEnvironment }: FunctionResources,
  warmCache: WarmCache,
  { event, context }: { readonly event: unknown; readonly context: CallContext },
): Promise<BatchAnswer> {
  const { pool } = awsResources
  const failedIds: string[] = []
  const deliveries: AwsDelivery[] = []
  for (const message of readSqsMessages(event)) {
    const delivery = await platform.chains.fromEvent(pool, message)
    // An unreadable message becomes a dead letter, for an operator to inspect.
    if (delivery === undefined) failedIds.push(message.id)
    else deliveries.push(delivery)
  }
  const time = { pool, limitMs: callLimitOf(context) }
  const { failedDeliveries, foreignDeliveries } = await serveDeliveries(
    createServer(),
    deliveries,
    { time, warmCache },
  )
  const mustEnd = await refuseMessages(messagesOf(foreignDeliveries), message =>
    platform.chains.requeue(pool, message),
  )
  if (mustEnd) endEnvironment()
  return createBatchAnswer([...failedIds, ...messagesOf(failedDeliveries).map(({ id }) => id)])
}

function messagesOf(deliveries: readonly AwsDelivery[]): readonly RawMessage[] {
  return deliveries.map(({ rawMessage }) => rawMessage)
}
