import { Stack } from 'aws-cdk-lib'
import { Effect, type IPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { roleNameOf, type QueueName } from '../../shared/config/aws-resource-names.ts'
import type { Grants } from '../function-row.ts'
import { type GrantContext } from '../grant-context.ts'
import { statementsOf } from '../permissions.ts'

/**
 * Creates the role of one function or task, which may use only its own log and its grants. Owners
 * of stacks use the name of the role in trust policies. The role has no managed policy, because
 * managed policies give access to every log of the account.
 */
export function createRole(
  scope: Construct,
  id: string,
  options: {
    /** The name of the function or task. */
    readonly name: string
    readonly principal: IPrincipal
    readonly grantContext: GrantContext
    readonly grants: Grants
    /** The queue whose messages the function or task receives. */
    readonly queue?: QueueName
    readonly logs: LogGroup
    /** The ARN of the function if Lambda attaches it to a VPC with this role. */
    readonly networkFunctionArn?: string
  },
): Role {
  const { grantContext, logs, networkFunctionArn } = options
  const role = new Role(scope, id, {
    roleName: roleNameOf(grantContext.settings.installation, options.name, Stack.of(scope).region),
    description: `${grantContext.settings.installation}: ${options.name}`,
    assumedBy: options.principal,
  })
  const statements = statementsOf(scope, grantContext, options.grants, options.queue)
  const networkStatements =
    networkFunctionArn === undefined ? [] : networkStatementsOf(networkFunctionArn)
  for (const statement of [...statements, createLogStatement(logs), ...networkStatements])
    role.addToPolicy(statement)
  return role
}

function createLogStatement(logs: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logs.logGroupArn],
  })
}

/**
 * Allows Lambda to attach a function to subnets, and denies the same to the code of the function.
 * IAM does not accept these permissions for single resources. Source: Lambda's developer guide,
 * "Giving Lambda functions access to resources in an Amazon VPC".
 */
function networkStatementsOf(functionArn: string): readonly PolicyStatement[] {
  const actions = [
    'ec2:CreateNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ]
  return [
    new PolicyStatement({ actions, resources: ['*'] }),
    new PolicyStatement({
      effect: Effect.DENY,
      actions,
      resources: ['*'],
      conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
    }),
  ]
}
