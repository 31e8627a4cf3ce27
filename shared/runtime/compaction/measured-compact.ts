import type { PutMetric } from '../../platform/aws/metrics.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { Compact } from './call-compaction.ts'
import { compact, type CompactionPorts } from './fold-and-publish.ts'

/**
 * Creates the function that compacts deployments in this process. Each try records the lag: the
 * time since the `closing` record, in seconds. Thus repeated failures produce growing values.
 */
export function createMeasuredCompact(
  ports: CompactionPorts & { readonly clock: Pick<ClockPort, 'now'> },
  putMetric: PutMetric,
): Compact {
  return deployment =>
    compact(ports, deployment, closingAtMs => {
      putMetric('compactionLag', Math.max(0, ports.clock.now() - closingAtMs) / 1_000)
    })
}
