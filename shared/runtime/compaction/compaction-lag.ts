import type { PutMetric } from '../../platform/aws/metrics.ts'

/** Records the time from the `closing` record of a deployment to its compaction, in seconds. */
export function recordCompactionLag(
  putMetric: PutMetric,
  nowMs: number,
  closingAtMs: number,
): void {
  putMetric('compactionLag', Math.max(0, nowMs - closingAtMs) / 1_000)
}
