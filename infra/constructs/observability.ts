import { Stack } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import { awsMetrics, queueNames } from '../../shared/config/aws-resource-names.ts'
import type { GroupResources } from '../grant-context.ts'
import type { Functions } from './functions.ts'
import {
  createDeadLetterMetric,
  createTableThrottleMetrics,
  listAlarms,
  metricPeriod,
} from './alarms.ts'
import { createPart } from './create-part.ts'
import { createInstallationMetric } from './installation-metric.ts'

/** The functions of a group with their resources, and the scope of the group's constructs. */
type ObservedGroup = GroupResources & { readonly functions: Functions; readonly scope: Construct }

/**
 * Creates a topic, the alarms of all groups that notify it, and a dashboard of the default group.
 */
export function createObservability(
  scope: Construct,
  input: ObservedGroup,
  otherGroups: readonly ObservedGroup[],
): void {
  const part = createPart(scope, 'Observability')
  const { installation, alarmEmail } = input.settings
  const topic = new Topic(part, 'Alarms', {
    topicName: `${installation}-alarms`,
    enforceSSL: true,
  })
  allowAlarmsToPublish(topic)
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
  createAlarms(part, input, topic)
  for (const other of otherGroups)
    createAlarms(createPart(other.scope, 'Observability'), other, topic)
  if (input.settings.dashboard === 'on') createDashboard(part, input)
}

/**
 * Creates the alarms of a group. Missing data raises no alarm, because an idle installation
 * produces no data.
 */
function createAlarms(part: Construct, input: ObservedGroup, topic: Topic): void {
  const { installation } = input.settings
  for (const spec of listAlarms(input)) {
    const alarm = new Alarm(part, spec.id, {
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

function createDashboard(part: Construct, { settings, queues, functions }: ObservedGroup): void {
  const { installation } = settings
  const lambdaFunctions = [...functions.values()].map(deployed => deployed.function)
  const createGraph = (title: string, left: readonly IMetric[]): GraphWidget =>
    new GraphWidget({ title, left: [...left], width: 12, height: 6 })
  new Dashboard(part, 'Dashboard', {
    dashboardName: installation,
    widgets: [
      [
        createGraph(
          'Waiting messages',
          queueNames.map(name => queues[name].queue.metricApproximateNumberOfMessagesVisible()),
        ),
        createGraph(
          'Dead letters',
          queueNames.map(name => createDeadLetterMetric(queues, name, metricPeriod)),
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
          createInstallationMetric(installation, awsMetrics.compactionLag, {
            period: metricPeriod,
          }),
        ]),
        createGraph('Stuck deployments', [
          createInstallationMetric(installation, awsMetrics.stuckDeployments, {
            period: metricPeriod,
          }),
        ]),
      ],
    ],
  })
}
