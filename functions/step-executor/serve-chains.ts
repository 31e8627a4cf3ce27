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
import type { AwsDelivery } from '../../shared/platform/aws/queues/chain-queue.ts'
import { serveDeliveries } from './serve-deliveries.ts'
import type { WarmCache } from './warm-cache.ts'

/**
 * Serves the chains that Lambda passes. Failed chains are delivered again. Chains of another stack
 * than that of this environment are sent again. The environment ends if many environments have
 * refused one of these chains. All calls of the environment share `warmCache`.
 */
export async function serveChains(
  { platform, awsResources, createExecutorDeps, endEnvironment, usage }: FunctionResources,
  warmCache: WarmCache,
  { event, context }: { readonly event: unknown; readonly context: CallContext },
): Promise<BatchResponse> {
  const { pool } = awsResources
  const failedIds: string[] = []
  const deliveries: AwsDelivery[] = []
  for (const message of readSqsMessages(event)) {
    const delivery = await platform.chains.fromEvent(pool, message)
    // An unreadable message becomes a dead letter, for an operator to inspect.
    if (delivery === undefined) failedIds.push(message.id)
    else deliveries.push(delivery)
  }
  const deliveryOptions = { pool, limitMs: callLimitMsOf(context), warmCache }
  const { failedDeliveries, foreignDeliveries } = await usage.measure(() =>
    serveDeliveries(createExecutorDeps(), deliveries, deliveryOptions),
  )
  const mustEnd = await refuseMessages(messagesOf(foreignDeliveries), message =>
    platform.chains.requeue(pool, message),
  )
  // Lambda freezes the process after the call, and with it everything that is not sent yet.
  await platform.telemetry.flush()
  if (mustEnd) endEnvironment()
  return createBatchResponse([...failedIds, ...messagesOf(failedDeliveries).map(({ id }) => id)])
}

function messagesOf(deliveries: readonly AwsDelivery[]): readonly RawMessage[] {
  return deliveries.map(({ rawMessage }) => rawMessage)
}
