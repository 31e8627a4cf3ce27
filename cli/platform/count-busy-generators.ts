import { type CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch'
import { awsMetrics, type QueueName } from '../../shared/config/aws-resource-names.ts'
import { sendOrUndefined } from './send-or-undefined.ts'

/** A client of CloudWatch, or its replacement in a test. */
export type CloudWatchSender = Pick<CloudWatchClient, 'send'>

/**
 * The window in which a busy task of the long pool has certainly written its metric. The log lines
 * that contain the metric may arrive late.
 */
const busyWindowMs = 5 * 60_000
/** Interval at which a busy task writes its metric, in seconds. */
const busyPeriodSeconds = 60
const generatorQueue: QueueName = 'nudges-long'

/**
 * Returns the highest number of generators in the long pool that were busy at the same time within
 * the last minutes. Source: their metric. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function countBusyGenerators(
  client: CloudWatchSender,
  installation: string,
  nowMs: number,
): Promise<number> {
  const command = new GetMetricStatisticsCommand({
    Namespace: awsMetrics.namespace,
    MetricName: awsMetrics.longPoolBusy,
    Dimensions: [
      { Name: awsMetrics.dimension, Value: installation },
      { Name: awsMetrics.queueDimension, Value: generatorQueue },
    ],
    StartTime: new Date(nowMs - busyWindowMs),
    EndTime: new Date(nowMs),
    Period: busyPeriodSeconds,
    Statistics: ['Sum'],
  })
  const response = await sendOrUndefined(() => client.send(command))
  return Math.max(0, ...(response?.Datapoints ?? []).map(({ Sum = 0 }) => Sum))
}
