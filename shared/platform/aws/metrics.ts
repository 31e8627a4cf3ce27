import { awsMetrics } from '../../config/aws-resource-names.ts'
import type { ClockPort } from '../../ports/system.ts'

/** A metric that an alarm reads. `awsMetrics` describes each one. */
export type AwsMetric = 'stuckDeployments' | 'compactionLag' | 'problems'

/**
 * The function that writes a value of a metric. `compactionLag` is in seconds, the others are
 * counts.
 */
export type PutMetric = (metric: AwsMetric, value: number) => void

/**
 * Creates the writer of metrics as log lines in CloudWatch's embedded metric format, which needs no
 * request and no permission. Source: CloudWatch's specification of the format.
 */
export function createMetricWriter({
  installation,
  write,
  clock,
}: {
  readonly installation: string
  readonly write: (line: string) => void
  readonly clock: Pick<ClockPort, 'now'>
}): PutMetric {
  return (metric, value) => {
    const name = awsMetrics[metric]
    const unit = metric === 'compactionLag' ? 'Seconds' : 'Count'
    const dimensions = { [awsMetrics.dimension]: installation }
    const directive = {
      Namespace: awsMetrics.namespace,
      Dimensions: [Object.keys(dimensions)],
      Metrics: [{ Name: name, Unit: unit }],
    }
    const _aws = { Timestamp: clock.now(), CloudWatchMetrics: [directive] }
    write(`${JSON.stringify({ _aws, ...dimensions, [name]: value })}\n`)
  }
}
