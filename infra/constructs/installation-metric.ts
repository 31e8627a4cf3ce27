import type { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { awsMetrics, type QueueName } from '../../shared/config/aws-resource-names.ts'

/**
 * Creates a metric that the functions of an installation write, for one queue if `queueName` is
 * set.
 */
export function createInstallationMetric(
  installation: string,
  metricName: string,
  options: {
    readonly period: Duration
    readonly statistic?: 'Maximum' | 'Sum'
    readonly queueName?: QueueName
  },
): Metric {
  const { period, statistic = 'Maximum', queueName } = options
  const queueDimension = queueName === undefined ? {} : { [awsMetrics.queueDimension]: queueName }
  return new Metric({
    namespace: awsMetrics.namespace,
    metricName,
    dimensionsMap: { [awsMetrics.dimension]: installation, ...queueDimension },
    statistic,
    period,
  })
}
