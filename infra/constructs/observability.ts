import { Duration, Stack } from 'aws-cdk-lib'
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
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import {
  awsMetrics,
  deadLetterAlarmOf,
  installationNamesOf,
  queueNames,
} from '../../shared/config/aws-resource-names.ts'
import { canInvokeItself } from '../invocation-loops.ts'
import { logicalNameOf } from '../names.ts'
import type { GrantContext } from '../permissions.ts'
import type { Functions } from './functions.ts'
import { createPart } from './create-part.ts'
import { createInstallationMetric } from './installation-metric.ts'

/**
 * An alarm, which is raised when the metric exceeds `threshold` in `periods` successive periods.
 */
interface AlarmSpec {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly metric: IMetric
  readonly threshold: number
  readonly periods: number
}

/** The period of metrics, unless an alarm has another one. */
const period = Duration.minutes(5)
/** The compaction lag that raises the alarm, in seconds. The lag is normally some seconds. */
const lagSecondsMax = 900

/**
 * Creates a topic, the alarms that notify it, and a dashboard. Missing data raises no alarm,
 * because an idle installation produces no data.
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
  allowAlarmsToPublish(topic)
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
  const alarmSpecs = [
    ...listDeadLetterAlarms(input),
    ...listDeploymentAlarms(installation),
    ...listThrottleAlarms(input),
    ...listFailureAlarms(input),
  ]
  for (const spec of alarmSpecs) {
    const alarm = new Alarm(group, spec.id, {
      alarmName: `${installation}-${spec.name}`,
      alarmDescription: `${spec.description} See docs/aws.md, "When an alarm comes".`,
      metric: spec.metric,
      threshold: spec.threshold,
      evaluationPeriods: spec.periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    alarm.addAlarmAction(new SnsAction(topic))
  }
  createDashboard(group, input, alarmSpecs)
}

/**
 * Allows the alarms of this account to publish. The default policy of topics would allow this, but
 * `enforceSSL` gives the topic another policy.
 */
function allowAlarmsToPublish(topic: Topic): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } },
    }),
  )
}

/** Returns one alarm per queue, because the operator's next step depends on the queue. */
function listDeadLetterAlarms({ queues }: GrantContext): readonly AlarmSpec[] {
  return queueNames.map(name => ({
    id: `Dead${logicalNameOf(name)}`,
    name: deadLetterAlarmOf(name),
    description: `Messages of ${name} failed at all their deliveries.`,
    metric: queues[name].deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      period,
      statistic: 'Maximum',
    }),
    threshold: 0,
    periods: 1,
  }))
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
      metric: createInstallationMetric(installation, awsMetrics.compactionLag, { period }),
      threshold: lagSecondsMax,
      periods: 1,
    },
  ]
}

function listThrottleAlarms(
  input: GrantContext & { readonly functions: Functions },
): readonly AlarmSpec[] {
  return [
    {
      id: 'FunctionThrottles',
      name: 'function-throttles',
      description:
        'Lambda throttled functions: the limit of the account or of a reservation is too low.',
      metric: sumMetrics(
        [...input.functions.values()].map(deployed =>
          deployed.function.metricThrottles({ period }),
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
        [...functions.values()].map(deployed => deployed.function.metricErrors({ period })),
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
            deployed.function.metric('RecursiveInvocationsDropped', { period, statistic: 'Sum' }),
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

function createTableThrottleMetrics(installation: string): readonly Metric[] {
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

/**
 * Returns the sum of metrics, so that one alarm covers all of them. A metric without data counts as
 * 0.
 */
function sumMetrics(metrics: readonly IMetric[]): MathExpression {
  const namedMetrics = metrics.map((metric, index) => [`m${index}`, metric] as const)
  return new MathExpression({
    expression: namedMetrics.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(namedMetrics),
    period,
  })
}

function createDashboard(
  group: Construct,
  { settings, queues, functions }: GrantContext & { readonly functions: Functions },
  alarmSpecs: readonly AlarmSpec[],
): void {
  const { installation } = settings
  const lambdaFunctions = [...functions.values()].map(deployed => deployed.function)
  const createGraph = (title: string, left: readonly IMetric[]): GraphWidget =>
    new GraphWidget({ title, left: [...left], width: 12, height: 6 })
  new Dashboard(group, 'Dashboard', {
    dashboardName: installation,
    widgets: [
      [
        createGraph(
          'Waiting messages',
          queueNames.map(name => queues[name].queue.metricApproximateNumberOfMessagesVisible()),
        ),
        createGraph(
          'Dead letters',
          // The first alarms are those of the dead-letter queues.
          alarmSpecs.slice(0, queueNames.length).map(({ metric }) => metric),
        ),
      ],
      [
        createGraph(
          'Concurrent calls',
          lambdaFunctions.map(lambdaFunction =>
            lambdaFunction.metric('ConcurrentExecutions', { statistic: 'Maximum' }),
          ),
        ),
        createGraph(
          'Duration',
          lambdaFunctions.map(lambdaFunction =>
            lambdaFunction.metricDuration({ statistic: 'p99' }),
          ),
        ),
      ],
      [
        createGraph(
          'Errors',
          lambdaFunctions.map(lambdaFunction => lambdaFunction.metricErrors()),
        ),
        createGraph('Throttles', [
          ...lambdaFunctions.map(lambdaFunction => lambdaFunction.metricThrottles()),
          ...createTableThrottleMetrics(installation),
        ]),
      ],
      [
        createGraph('Compaction lag (s)', [
          createInstallationMetric(installation, awsMetrics.compactionLag, { period }),
        ]),
        createGraph('Stuck deployments', [
          createInstallationMetric(installation, awsMetrics.stuckDeployments, { period }),
        ]),
      ],
    ],
  })
}
