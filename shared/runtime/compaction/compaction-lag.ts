import type { PutMetric } from '../../platform/aws/metrics.ts'

/**
 * Records the time since a deployment was settled, until it is published. `at`: the time when it
 * was settled.
 */
export function recordCompactionLag(metric: PutMetric, now: number, at: number): void {
  metric('compactionLag', Math.max(0, now - at) / 1_000)
}
