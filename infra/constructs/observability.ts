import { Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import {
  awsMetrics,
  installationNamesOf,
  queueNames,
} from '../../shared/config/aws-resource-names.ts'
import { logicalNameOf } from '../names.ts'
import type { GrantContext } from '../permissions.ts'
import type { Functions } from './functions.ts'
import { createPart } from './create-part.ts'

/** An alarm condition: more than `most` in each of `periods`. */
interface AlarmSpec {
  readonly id: string
  readonly name: string
  readonly what: string
  readonly metric: IMetric
  readonly most: number
  readonly periods: number
}

const period = Duration.minutes(5)
/** Normally a settled deployment is published within seconds. */
const lagSecondsMax = 900

/**
 * Creates a topic, the alarms that notify it, and a dashboard. Missing data is no alarm, because an
 * idle installation has none.
 */
export function createObservability(
  scope: Construct,
  input: GrantContext & { readonly functions: Functions },
): void {
  const group = createPart(scope, 'Observability')
  const { installation, alarmEmail } = input.settings
  const topic = new Topic(group, 'Alarms', {
    topicName: `${installation}-alarms`,
    enforceSSL: true,
  })
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
  const watched = [
    ...deadLetterAlarms(input),
    ...deploymentAlarms(installation),
    ...throttleAlarms(input),
    ...failureAlarms(input),
  ]
  for (const each of watched) {
    const alarm = new Alarm(group, each.id, {
      alarmName: `${installation}-${each.name}`,
      alarmDescription: `${each.what} See docs/aws.md, "When an alarm comes".`,
      metric: each.metric,
      threshold: each.most,
      evaluationPeriods: each.periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    alarm.addAlarmAction(new SnsAction(topic))
  }
  createDashboard(group, input, watched)
}

/** Returns one alarm per queue, because the queue determines the next step. */
function deadLetterAlarms({ queues }: GrantContext): readonly AlarmSpec[] {
  return queueNames.map(name => ({
    id: `Dead${logicalNameOf(name)}`,
    name: `dead-${name}`,
    what: `Messages of ${name} failed at all their deliveries.`,
    metric: queues[name].dead.metricApproximateNumberOfMessagesVisible({
      period,
      statistic: 'Maximum',
    }),
    most: 0,
    periods: 1,
  }))
}

function deploymentAlarms(installation: string): readonly AlarmSpec[] {
  return [
    {
      id: 'Stuck',
      name: 'stuck-deployments',
      what: 'Open deployments have no living holder.',
      metric: createMetric(installation, awsMetrics.stuckDeployments, Duration.hours(1)),
      most: 0,
      periods: 1,
    },
    {
      id: 'CompactionLag',
      name: 'compaction-lag',
      what: 'The snapshot of a settled deployment is not published.',
      metric: createMetric(installation, awsMetrics.compactionLag, period),
      most: lagSecondsMax,
      periods: 1,
    },
  ]
}

function throttleAlarms(
  input: GrantContext & { readonly functions: Functions },
): readonly AlarmSpec[] {
  return [
    {
      id: 'FunctionThrottles',
      name: 'function-throttles',
      what: 'Lambda throttled functions: the concurrency limit of the account is too low.',
      metric: sumMetrics(
        [...input.functions.values()].map(each => each.function.metricThrottles({ period })),
      ),
      most: 0,
      periods: 3,
    },
    {
      id: 'TableThrottles',
      name: 'table-throttles',
      what: 'DynamoDB throttled requests: the load exceeds the warm throughput of the tables.',
      metric: sumMetrics(tableThrottleMetrics(input.settings.installation)),
      most: 100,
      periods: 3,
    },
  ]
}

function failureAlarms({ functions }: { readonly functions: Functions }): readonly AlarmSpec[] {
  const tidying = functions.get('compaction')?.function
  return [
    {
      id: 'FunctionErrors',
      name: 'function-errors',
      what: 'Functions failed or reached their time limit.',
      metric: sumMetrics(
        [...functions.values()].map(each => each.function.metricErrors({ period })),
      ),
      // An environment that receives work of another stack ends itself, which counts as one error.
      most: 10,
      periods: 3,
    },
    // This function is called once an hour and cannot reach that number of errors. Without it,
    // stuck deployments are not found.
    ...(tidying === undefined
      ? []
      : [
          {
            id: 'TidyingErrors',
            name: 'tidying-errors',
            what: 'The hourly call of compaction fails: old records are not removed, and stuck deployments are not found.',
            metric: tidying.metricErrors({ period: Duration.hours(1) }),
            most: 0,
            periods: 2,
          },
        ]),
  ]
}

function tableThrottleMetrics(installation: string): readonly Metric[] {
  const { journalTable, catalogTable } = installationNamesOf(installation)
  return [journalTable, catalogTable].flatMap(TableName =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      metricName =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName },
          statistic: 'Sum',
          period,
        }),
    ),
  )
}

function createMetric(installation: string, metricName: string, every: Duration): Metric {
  return new Metric({
    namespace: awsMetrics.namespace,
    metricName,
    dimensionsMap: { [awsMetrics.dimension]: installation },
    statistic: 'Maximum',
    period: every,
  })
}

/** Adds metrics up to one, because alarms are billed per metric and one alarm is sufficient. */
function sumMetrics(metrics: readonly IMetric[]): MathExpression {
  const named = metrics.map((metric, at) => [`m${at}`, metric] as const)
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period,
  })
}

function createDashboard(
  group: Construct,
  { settings, queues, functions }: GrantContext & { readonly functions: Functions },
  watched: readonly AlarmSpec[],
): void {
  const { installation } = settings
  const all = [...functions.values()].map(each => each.function)
  const createGraph = (title: string, left: readonly IMetric[]): GraphWidget =>
    new GraphWidget({ title, left: [...left], width: 12, height: 6 })
  new Dashboard(group, 'Dashboard', {
    dashboardName: installation,
    widgets: [
      [
        createGraph(
          'Waiting',
          queueNames.map(name => queues[name].queue.metricApproximateNumberOfMessagesVisible()),
        ),
        createGraph(
          'Dead letters',
          watched.slice(0, queueNames.length).map(({ metric }) => metric),
        ),
      ],
      [
        createGraph(
          'At once',
          all.map(each => each.metric('ConcurrentExecutions', { statistic: 'Maximum' })),
        ),
        createGraph(
          'Duration',
          all.map(each => each.metricDuration({ statistic: 'p99' })),
        ),
      ],
      [
        createGraph(
          'Errors',
          all.map(each => each.metricErrors()),
        ),
        createGraph('Throttles', [
          ...all.map(each => each.metricThrottles()),
          ...tableThrottleMetrics(installation),
        ]),
      ],
      [
        createGraph('Compaction lag (s)', [
          createMetric(installation, awsMetrics.compactionLag, period),
        ]),
        createGraph('Stuck', [createMetric(installation, awsMetrics.stuckDeployments, period)]),
      ],
    ],
  })
}
