import type { PutMetric } from '../../platform/aws/metrics.ts'

/** Records the time from the settlement of a deployment to its publication, in seconds. */
export function recordCompactionLag(
  putMetric: PutMetric,
  nowMs: number,
  settledAtMs: number,
): void {
  putMetric('compactionLag', Math.max(0, nowMs - settledAtMs) / 1_000)
}
