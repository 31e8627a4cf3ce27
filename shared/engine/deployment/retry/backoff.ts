import type { RandomPort } from '../../../ports/system.ts'

/** How pauses between repetitions grow, in ms. */
export interface Backoff {
  readonly firstMs: number
  readonly mostMs: number
}

/**
 * The pause before repetition `number` (from 0), in ms: twice as long each time, and anything
 * between its half and its whole, so that those who failed together do not come again together.
 */
export function computeBackoffMs(
  number: number,
  { firstMs, mostMs }: Backoff,
  random: Pick<RandomPort, 'bytes'>,
): number {
  const [byte = 0] = random.bytes(1)
  const wholeMs = Math.min(firstMs * 2 ** number, mostMs)
  return Math.round((wholeMs * (255 + byte)) / 510)
}
