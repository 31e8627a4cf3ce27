import type { RandomPort } from '../../../ports/system.ts'

/** The first and the longest pause between retries, in ms. */
export interface Backoff {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

/**
 * Returns the pause before a retry (`retryIndex` counts from 0), in ms. The pause doubles each
 * time, up to `longestPauseMs`. Random jitter shortens it by up to a half, so that requests which
 * failed together are not retried together.
 */
export function computeBackoffMs(
  retryIndex: number,
  { firstPauseMs, longestPauseMs }: Backoff,
  random: Pick<RandomPort, 'bytes'>,
): number {
  const [byte = 0] = random.bytes(1)
  const pauseMs = Math.min(firstPauseMs * 2 ** retryIndex, longestPauseMs)
  return Math.round((pauseMs * (255 + byte)) / 510)
}
