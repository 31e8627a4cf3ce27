import { awsLimits } from '../../config/aws-limits.ts'
import type { PutMetric } from '../../platform/aws/metrics.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { Compact } from './call-compaction.ts'
import { compact, type JournalPorts } from './fold-and-publish.ts'

/**
 * Creates the function that compacts deployments in this process. Each try records the lag: the
 * time since the `closing` record, in seconds. Thus repeated failures produce growing values. A late
 * snapshot is also recorded as a problem.
 */
export function createMeasuredCompact(
  ports: JournalPorts & { readonly clock: Pick<ClockPort, 'now'> },
  putMetric: PutMetric,
): Compact {
  return deployment =>
    compact(ports, deployment, closingAtMs => {
      const lagMs = Math.max(0, ports.clock.now() - closingAtMs)
      putMetric('compactionLag', lagMs / 1_000)
      if (lagMs > awsLimits.lateSnapshotMs) putMetric('problems', 1)
    })
}
