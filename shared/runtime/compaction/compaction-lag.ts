import type { PutMetric } from '../../platform/aws/metrics.ts'

/** Writes how long a deployment has been settled without being published; `at`: since when. */
export function recordCompactionLag(metric: PutMetric, now: number, at: number): void {
  metric('compactionLag', Math.max(0, now - at) / 1_000)
}
