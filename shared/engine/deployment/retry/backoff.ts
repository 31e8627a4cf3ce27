import type { RandomPort } from '../../../ports/system.ts'

/** The first and the longest pause between retries, in ms. */
export interface Backoff {
  readonly firstMs: number
  readonly mostMs: number
}

/**
 * Returns the pause before a retry (`number` counts from 0), in ms. It doubles each time. Jitter
 * takes up to a half, so that requests which failed together are not retried together.
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
