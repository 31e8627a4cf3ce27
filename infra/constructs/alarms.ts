import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import {
  awsMetrics,
  deadLetterAlarmOf,
  installationNamesOf,
  type QueueName,
  queueNames,
  singleAlarmName,
} from '../../shared/config/aws-resource-names.ts'
import { canInvokeItself } from '../invocation-loops.ts'
import { logicalNameOf } from '../names.ts'
import type { GroupResources } from '../grant-context.ts'
import type { Functions } from './functions.ts'
import { createInstallationMetric } from './installation-metric.ts'

/**
 * An alarm, which is raised when the metric exceeds `threshold` in `periods` successive periods.
 */
export interface AlarmSpec {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly metric: IMetric
  readonly threshold: number
  readonly periods: number
}

/** The period of metrics, unless an alarm has another one. */
export const metricPeriod = Duration.minutes(5)

/** Returns the alarms that the settings request. */
export function listAlarms(
  input: GroupResources & { readonly functions: Functions },
): readonly AlarmSpec[] {
  if (input.settings.alarms === 'one') return [createSingleAlarm(input)]
  return [
    ...listDeadLetterAlarms(input),
    ...listDeploymentAlarms(input.settings.installation),
    ...listThrottleAlarms(input),
    ...listFailureAlarms(input),
  ]
}

/** Returns one alarm per queue, because the operator's next step depends on the queue. */
function listDeadLetterAlarms({ queues }: GroupResources): readonly AlarmSpec[] {
  return queueNames.map(name => ({
    id: `Dead${logicalNameOf(name)}`,
    name: deadLetterAlarmOf(name),
    description: `Messages of ${name} failed at all their deliveries.`,
    metric: createDeadLetterMetric(queues, name, metricPeriod),
    threshold: 0,
    periods: 1,
  }))
}

/** Returns the metric that counts the dead letters of a queue. */
export const createDeadLetterMetric = (
  queues: GroupResources['queues'],
  name: QueueName,
  period: Duration,
): Metric =>
  queues[name].deadLetterQueue.metricApproximateNumberOfMessagesVisible({
    period,
    statistic: 'Maximum',
  })

/**
 * Returns the only alarm with the setting `alarms=one`, which saves idle cost. CloudWatch bills
 * each metric of an alarm. So the hourly call of compaction counts the problems in one metric. If
 * the call itself fails, Lambda notifies the topic (`notifyOfFailedCalls`). The alarm is up to an
 * hour late.
 */
function createSingleAlarm({ settings }: GroupResources): AlarmSpec {
  const period = Duration.hours(1)
  return {
    id: 'Problems',
    name: singleAlarmName,
    description: 'Messages are dead letters, deployments are stuck, or snapshots are late.',
    metric: createInstallationMetric(settings.installation, awsMetrics.problems, { period }),
    threshold: 0,
    periods: 1,
  }
}

function listDeploymentAlarms(installation: string): readonly AlarmSpec[] {
  return [
    {
      id: 'Stuck',
      name: 'stuck-deployments',
      description: 'Open deployments have no living holder.',
      metric: createInstallationMetric(installation, awsMetrics.stuckDeployments, {
        period: Duration.hours(1),
      }),
      threshold: 0,
      periods: 1,
    },
    {
      id: 'CompactionLag',
      name: 'compaction-lag',
      description: 'The snapshot of a closing deployment is not published.',
      metric: createInstallationMetric(installation, awsMetrics.compactionLag, {
        period: metricPeriod,
      }),
      threshold: awsLimits.lateSnapshotMs / 1_000,
      periods: 1,
    },
  ]
}

function listThrottleAlarms(
  input: GroupResources & { readonly functions: Functions },
): readonly AlarmSpec[] {
  return [
    {
      id: 'FunctionThrottles',
      name: 'function-throttles',
      description:
        'Lambda throttled functions: the limit of the account or of a reservation is too low.',
      metric: sumMetrics(
        [...input.functions.values()].map(deployed =>
          deployed.function.metricThrottles({ period: metricPeriod }),
        ),
      ),
      threshold: 0,
      periods: 3,
    },
    {
      id: 'TableThrottles',
      name: 'table-throttles',
      description:
        'DynamoDB throttled requests: the load exceeds the warm throughput of the tables.',
      metric: sumMetrics(createTableThrottleMetrics(input.settings.installation)),
      threshold: 100,
      periods: 3,
    },
  ]
}

function listFailureAlarms({ functions }: { readonly functions: Functions }): readonly AlarmSpec[] {
  const compaction = functions.get('compaction')?.function
  return [
    {
      id: 'FunctionErrors',
      name: 'function-errors',
      description: 'Functions failed or reached their time limit.',
      metric: sumMetrics(
        [...functions.values()].map(deployed =>
          deployed.function.metricErrors({ period: metricPeriod }),
        ),
      ),
      // An environment ends itself after many refused messages, or after an unreviewed preview.
      // Each end counts as one error.
      threshold: 10,
      periods: 3,
    },
    {
      id: 'RecursionDropped',
      name: 'recursion-dropped',
      description: 'Lambda stopped a chain of invocations, because it took the chain for a loop.',
      metric: sumMetrics(
        [...functions.values()]
          .filter(({ row }) => canInvokeItself(row.name))
          .map(deployed =>
            deployed.function.metric('RecursiveInvocationsDropped', {
              period: metricPeriod,
              statistic: 'Sum',
            }),
          ),
      ),
      threshold: 0,
      periods: 1,
    },
    // The hourly call of compaction is too rare for the threshold of `FunctionErrors`. If this call
    // fails, stuck deployments are not found.
    ...(compaction === undefined
      ? []
      : [
          {
            id: 'TidyingErrors',
            name: 'tidying-errors',
            description:
              'The hourly call of compaction fails: old records are not removed, and stuck deployments are not found.',
            metric: compaction.metricErrors({ period: Duration.hours(1) }),
            threshold: 0,
            periods: 2,
          },
        ]),
  ]
}

/** Returns the metrics that count the throttled requests of both tables. */
export function createTableThrottleMetrics(installation: string): readonly Metric[] {
  const { journalTable, catalogTable } = installationNamesOf(installation)
  return [journalTable, catalogTable].flatMap(TableName =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      metricName =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName },
          statistic: 'Sum',
          period: metricPeriod,
        }),
    ),
  )
}

/**
 * Returns the sum of metrics, so that one alarm covers all of them. A metric without data counts as
 * 0.
 */
function sumMetrics(metrics: readonly IMetric[]): MathExpression {
  const namedMetrics = metrics.map((metric, index) => [`m${index}`, metric] as const)
  return new MathExpression({
    expression: namedMetrics.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(namedMetrics),
    period: metricPeriod,
  })
}
