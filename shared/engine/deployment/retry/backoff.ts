import type { RandomPort } from '../../../ports/system.ts'

/** The first and the longest pause between retries, in ms. */
export interface Backoff {
  readonly firstMs: number
  readonly mostMs: number
}

/**
 * Returns the pause before a retry (`retryIndex` counts from 0), in ms. The pause doubles each
 * time, up to `mostMs`. Random jitter shortens it by up to a half, so that requests which failed
 * together are not retried together.
 */
export function computeBackoffMs(
  retryIndex: number,
  { firstMs, mostMs }: Backoff,
  random: Pick<RandomPort, 'bytes'>,
): number {
  const [byte = 0] = random.bytes(1)
  const pauseMs = Math.min(firstMs * 2 ** retryIndex, mostMs)
  return Math.round((pauseMs * (255 + byte)) / 510)
}
