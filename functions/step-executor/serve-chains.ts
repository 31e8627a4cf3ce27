import type { Delivery } from '../../shared/ports/queue.ts'
import type { AwsSurroundings } from '../surroundings/aws.ts'
import {
  type BatchAnswer,
  type CallContext,
  comeAgain,
  limitOf,
  messagesIn,
} from '../surroundings/sqs-event.ts'
import { serveDeliveries } from './serve-deliveries.ts'
import type { Warmth } from './warmth.ts'

/**
 * Handles the chains that Lambda hands over; what could not be handled comes again by itself.
 * `warmth`: what is kept between the calls of this environment.
 */
export async function serveChains(
  { platform, places, server }: AwsSurroundings,
  warmth: Warmth,
  { event, context }: { readonly event: unknown; readonly context: CallContext },
): Promise<BatchAnswer> {
  const { pool } = places
  const again: string[] = []
  const ids = new Map<Delivery, string>()
  for (const message of messagesIn(event)) {
    const delivery = await platform.chains.fromEvent(pool, message)
    // What cannot be read becomes a dead letter, which somebody looks at.
    if (delivery === undefined) again.push(message.id)
    else ids.set(delivery, message.id)
  }
  const time = { pool, limitMs: limitOf(context) }
  const failed = await serveDeliveries(server(), [...ids.keys()], { time, warmth })
  return comeAgain([...again, ...failed.map(delivery => ids.get(delivery) ?? '')])
}
