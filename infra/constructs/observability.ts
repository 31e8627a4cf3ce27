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
import { SnsDestination } from 'aws-cdk-lib/aws-lambda-destinations'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import {
  awsMetrics,
  groupInstallationOf,
  queueNames,
} from '../../shared/config/aws-resource-names.ts'
import type { FunctionName } from '../function-row.ts'
import type { GroupResources } from '../grant-context.ts'
import type { Functions } from './functions.ts'
import {
  createDeadLetterMetric,
  createTableThrottleMetrics,
  listAlarms,
  metricPeriod,
} from './alarms.ts'
import { createTaggedScope } from './create-tagged-scope.ts'
import { createInstallationMetric } from './installation-metric.ts'

/** The functions of a group with their resources, and the scope of the group's constructs. */
type ObservedGroup = GroupResources & { readonly functions: Functions; readonly scope: Construct }

/**
 * Creates a topic, a dashboard of all groups, and the alarms of each group. The alarms notify the
 * topic.
 */
export function createObservability(
  scope: Construct,
  input: ObservedGroup,
  otherGroups: readonly ObservedGroup[],
): void {
  const part = createTaggedScope(scope, 'Observability')
  const { installation, alarmEmail } = input.settings
  const topic = new Topic(part, 'Alarms', {
    topicName: `${installation}-alarms`,
    enforceSSL: true,
  })
  allowAlarmsToPublish(topic)
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
  createAlarms(part, input, topic)
  for (const other of otherGroups)
    createAlarms(createTaggedScope(other.scope, 'Observability'), other, topic)
  if (input.settings.dashboard === 'on') createDashboard(part, input, otherGroups)
}

/**
 * Creates the alarms of a group, and the notifications of failed calls. Missing data raises no
 * alarm, because an idle installation produces no data.
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
  const alarmedNames: readonly FunctionName[] =
    input.settings.alarms === 'one' ? ['scaler', 'compaction'] : ['scaler']
  notifyOfFailedCalls(input.functions, alarmedNames, topic)
}

/**
 * Makes Lambda notify the topic when a call that no process waits for has failed in all its
 * attempts. An alarm on the errors of a function costs each month, and a destination costs nothing.
 */
function notifyOfFailedCalls(
  functions: Functions,
  names: readonly FunctionName[],
  topic: Topic,
): void {
  for (const name of names)
    functions.get(name)?.function.configureAsyncInvoke({ onFailure: new SnsDestination(topic) })
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

/**
 * Creates a dashboard with the same rows for each group. Its size is bounded, because an
 * installation has at most `groupsMax` groups besides the default one.
 */
function createDashboard(
  part: Construct,
  input: ObservedGroup,
  otherGroups: readonly ObservedGroup[],
): void {
  const { installation } = input.settings
  const groupPrefix = groupInstallationOf(installation, '')
  new Dashboard(part, 'Dashboard', {
    dashboardName: installation,
    widgets: [
      ...createGroupRows(input, ''),
      ...otherGroups.flatMap(group =>
        createGroupRows(group, `: ${group.settings.installation.slice(groupPrefix.length)}`),
      ),
    ],
  })
}

/**
 * Returns the rows of a group. Their titles end with `titleEnd`. AWS bills a dashboard with more
 * than 50 metrics. The rows of one group stay within this number, because they omit the concurrency
 * and the duration of the scaler.
 */
function createGroupRows(
  { settings, queues, functions }: ObservedGroup,
  titleEnd: string,
): GraphWidget[][] {
  const { installation } = settings
  const lambdaFunctions = [...functions.values()].map(deployed => deployed.function)
  const workFunctions = [...functions.values()]
    .filter(({ row }) => row.name !== 'scaler')
    .map(deployed => deployed.function)
  const createGraph = (title: string, left: readonly IMetric[]): GraphWidget =>
    new GraphWidget({ title: `${title}${titleEnd}`, left: [...left], width: 12, height: 6 })
  const createOwnGraph = (title: string, metricName: string): GraphWidget =>
    createGraph(title, [
      createInstallationMetric(installation, metricName, { period: metricPeriod }),
    ])
  return [
    [
      createGraph(
        'Age of the oldest message (s)',
        queueNames.map(name =>
          queues[name].queue.metricApproximateAgeOfOldestMessage({
            period: metricPeriod,
            statistic: 'Maximum',
          }),
        ),
      ),
      createGraph(
        'Dead letters',
        queueNames.map(name => createDeadLetterMetric(queues, name, metricPeriod)),
      ),
    ],
    [
      createGraph(
        'Concurrent calls',
        workFunctions.map(lambdaFunction =>
          lambdaFunction.metric('ConcurrentExecutions', { statistic: 'Maximum' }),
        ),
      ),
      createGraph(
        'Duration',
        workFunctions.map(lambdaFunction => lambdaFunction.metricDuration({ statistic: 'p99' })),
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
      createOwnGraph('Compaction lag (s)', awsMetrics.compactionLag),
      createOwnGraph('Stuck deployments', awsMetrics.stuckDeployments),
    ],
  ]
}
