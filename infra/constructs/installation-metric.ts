import type { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { awsMetrics } from '../../shared/config/aws-resource-names.ts'

/**
 * Creates a metric that the functions of an installation write. The statistic of the metric is the
 * maximum.
 */
export function createInstallationMetric(
  installation: string,
  metricName: string,
  { period }: { readonly period: Duration },
): Metric {
  return new Metric({
    namespace: awsMetrics.namespace,
    metricName,
    dimensionsMap: { [awsMetrics.dimension]: installation },
    statistic: 'Maximum',
    period,
  })
}
