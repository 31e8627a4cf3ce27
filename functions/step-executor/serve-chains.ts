import type { Delivery } from '../../shared/ports/queue.ts'
import type { FunctionResources } from '../aws/function-resources.ts'
import { decideRefusal } from '../aws/stack-binding.ts'
import {
  type BatchAnswer,
  type CallContext,
  createBatchAnswer,
  callLimitOf,
  readSqsMessages,
} from '../aws/sqs-event.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
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
  const messages = new Map<Delivery, RawMessage>()
  for (const message of readSqsMessages(event)) {
    const delivery = await platform.chains.fromEvent(pool, message)
    // An unreadable message becomes a dead letter, for an operator to inspect.
    if (delivery === undefined) failedIds.push(message.id)
    else messages.set(delivery, message)
  }
  const time = { pool, limitMs: callLimitOf(context) }
  const result = await serveDeliveries(createServer(), [...messages.keys()], { time, warmCache })
  const messagesOf = (deliveries: readonly Delivery[]): readonly RawMessage[] =>
    deliveries.flatMap(delivery => messages.get(delivery) ?? [])
  let mustEndEnvironment = false
  for (const message of messagesOf(result.foreignDeliveries)) {
    const { refusals, mustEnd } = decideRefusal(message.refusals)
    await platform.chains.requeue(pool, { ...message, refusals })
    mustEndEnvironment ||= mustEnd
  }
  if (mustEndEnvironment) endEnvironment()
  return createBatchAnswer([
    ...failedIds,
    ...messagesOf(result.failedDeliveries).map(({ id }) => id),
  ])
}
