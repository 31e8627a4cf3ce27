import type { Delivery } from '../../shared/ports/queue.ts'
import type { AwsSurroundings } from '../surroundings/aws.ts'
import {
  type BatchAnswer,
  type CallContext,
  comeAgain,
  limitOf,
  messagesIn,
} from '../surroundings/sqs-event.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/poll.ts'
import { serveDeliveries } from './serve-deliveries.ts'
import type { Warmth } from './warmth.ts'

/**
 * Handles the chains that Lambda hands over; what could not be handled comes again by itself.
 * Those of another stack than that of this environment are sent again, and the environment ends.
 * `warmth`: what is kept between the calls of this environment.
 */
export async function serveChains(
  { platform, places, server, leave }: AwsSurroundings,
  warmth: Warmth,
  { event, context }: { readonly event: unknown; readonly context: CallContext },
): Promise<BatchAnswer> {
  const { pool } = places
  const again: string[] = []
  const messages = new Map<Delivery, RawMessage>()
  for (const message of messagesIn(event)) {
    const delivery = await platform.chains.fromEvent(pool, message)
    // What cannot be read becomes a dead letter, which somebody looks at.
    if (delivery === undefined) again.push(message.id)
    else messages.set(delivery, message)
  }
  const time = { pool, limitMs: limitOf(context) }
  const served = await serveDeliveries(server(), [...messages.keys()], { time, warmth })
  const of = (deliveries: readonly Delivery[]): readonly RawMessage[] =>
    deliveries.flatMap(delivery => messages.get(delivery) ?? [])
  for (const message of of(served.elsewhere)) await platform.chains.sendAgain(pool, message)
  if (served.elsewhere.length > 0) leave()
  return comeAgain([...again, ...of(served.failed).map(({ id }) => id)])
}
