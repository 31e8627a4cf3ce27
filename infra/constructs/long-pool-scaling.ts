import { Duration } from 'aws-cdk-lib'
import {
  AdjustmentType,
  MetricAggregationType,
  StepScalingAction,
} from 'aws-cdk-lib/aws-applicationautoscaling'
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { ApplicationScalingAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ScalableTaskCount } from 'aws-cdk-lib/aws-ecs'
import type { Construct } from 'constructs'
import { awsMetrics, type QueueName } from '../../shared/config/aws-resource-names.ts'
import { createInstallationMetric } from './installation-metric.ts'
import type { Queues } from './queues.ts'

/** The input for scaling the tasks of one queue. */
export interface ScalingInput {
  readonly installation: string
  readonly queueName: QueueName
  readonly queues: Queues
  readonly tasksMax: number
  readonly tasks: ScalableTaskCount
}

/**
 * Maximum delay of the metrics of a queue that was idle for hours, in minutes. Source: SQS's
 * documentation.
 */
const metricDelayMinutes = 15
/** The boundary between no work and one unit of work: a message or a busy task. */
const threshold = 0.5
/** Pause after each scaling action, until its effect shows in the metrics. */
const cooldown = Duration.minutes(2)

/**
 * Scales tasks to the work that `createWorkMetric` counts: one task per unit, up to the maximum.
 * One alarm is raised within a minute of the first message, and then adds tasks. While it is
 * raised, tasks may remain that have no work. It ends when there was no work for
 * `metricDelayMinutes`, and then removes all tasks. Alarms are billed per metric, so a second alarm
 * for the end would double the cost.
 */
export function scaleLongPoolTasks(scope: Construct, id: string, input: ScalingInput): void {
  const setTasks = createAction(scope, `${id}AddTasks`, input.tasks)
  for (let count = 1; count <= input.tasksMax; count += 1)
    setTasks.addAdjustment({
      adjustment: count,
      lowerBound: count - 1,
      ...(count === input.tasksMax ? {} : { upperBound: count }),
    })
  const removeTasks = createAction(scope, `${id}RemoveTasks`, input.tasks)
  removeTasks.addAdjustment({ adjustment: 0, upperBound: 0 })
  const alarm = new Alarm(scope, `${id}Work`, {
    metric: createWorkMetric(input),
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: metricDelayMinutes,
    datapointsToAlarm: 1,
    // A queue that was never used has no metrics.
    treatMissingData: TreatMissingData.NOT_BREACHING,
  })
  alarm.addAlarmAction(new ApplicationScalingAction(setTasks))
  alarm.addOkAction(new ApplicationScalingAction(removeTasks))
}

function createAction(scope: Construct, id: string, tasks: ScalableTaskCount): StepScalingAction {
  return new StepScalingAction(scope, id, {
    scalingTarget: tasks,
    adjustmentType: AdjustmentType.EXACT_CAPACITY,
    metricAggregationType: MetricAggregationType.MAXIMUM,
    cooldown,
  })
}

/**
 * Returns the number of messages that are waiting or in delivery, plus the number of busy tasks
 * whose message is removed already. Metrics of an idle queue can be 15 minutes late, so the senders
 * of messages write an additional metric.
 */
function createWorkMetric({ installation, queueName, queues }: ScalingInput): MathExpression {
  const period = Duration.minutes(1)
  const { queue } = queues[queueName]
  return new MathExpression({
    expression: 'MAX([FILL(visible, 0) + FILL(held, 0), FILL(sent, 0)]) + FILL(busy, 0)',
    label: `${queueName}: waiting, in delivery or busy`,
    period,
    usingMetrics: {
      visible: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      held: queue.metricApproximateNumberOfMessagesNotVisible({ period, statistic: 'Maximum' }),
      sent: createInstallationMetric(installation, awsMetrics.longPoolWaiting, {
        period,
        queueName,
      }),
      // A busy generator whose message is removed writes the value 1 once a minute.
      busy: createInstallationMetric(installation, awsMetrics.longPoolBusy, {
        period,
        statistic: 'Sum',
        queueName,
      }),
    },
  })
}
