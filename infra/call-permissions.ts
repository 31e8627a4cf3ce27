import { Stack } from 'aws-cdk-lib'
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { longPoolServices, longQueueNames } from '../shared/config/aws-resource-names.ts'
import type { FunctionName, Grants } from './function-row.ts'
import { groupRows } from './functions-table.ts'
import { allowActions, type GrantContext } from './grant-context.ts'
import { functionArnOf, groupSettingsOf } from './names.ts'
import type { Settings } from './settings.ts'

/**
 * Returns the statement for calls of other functions. A pattern names the functions of other
 * groups, because an ARN per group would exceed the size limit of IAM for roles.
 */
export function callStatementsOf(
  scope: Construct,
  grantContext: GrantContext,
  { calls = [] }: Grants,
): PolicyStatement[] {
  const { settings: ownSettings, otherGroups, installationSettings } = grantContext
  const settingsOf = (name: FunctionName): readonly Settings[] => {
    if (!groupRows.some(row => row.name === name)) return [installationSettings]
    const otherGroupSettings =
      otherGroups.length === 0 ? [] : [groupSettingsOf(installationSettings, '*')]
    return [ownSettings, ...otherGroupSettings]
  }
  const arns = calls.flatMap(name =>
    settingsOf(name).map(settings => functionArnOf(Stack.of(scope), settings, name)),
  )
  return arns.length === 0 ? [] : [allowActions(['lambda:InvokeFunction'], arns)]
}

/**
 * Returns the statements for counting the messages of the long pool, and for setting the number of
 * its tasks. `ecs:UpdateService` could also replace the code of the tasks, but a new task definition
 * needs `iam:PassRole` and `ecs:RegisterTaskDefinition`.
 */
export function scalingStatementsOf(
  scope: Construct,
  { settings, queues }: GrantContext,
): readonly PolicyStatement[] {
  const queueArns = longQueueNames.map(name => queues[name].queue.queueArn)
  const serviceArns = Object.values(longPoolServices).map(service =>
    Stack.of(scope).formatArn({
      service: 'ecs',
      resource: 'service',
      resourceName: `${settings.installation}/${service}`,
    }),
  )
  return [
    allowActions(['sqs:GetQueueAttributes'], queueArns),
    allowActions(['ecs:DescribeServices', 'ecs:UpdateService'], serviceArns),
  ]
}
