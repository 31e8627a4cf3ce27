import { Stack } from 'aws-cdk-lib'
import { type IPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { roleOf, type QueueName } from '../../shared/config/aws-places.ts'
import type { Grants } from '../functions-table.ts'
import { type Granted, statementsOf } from '../permissions.ts'

/**
 * The role of one function or task: its own name, which owners of stacks put into trust policies,
 * its own log, and what its grants say. No managed policy: these reach every log of the account.
 */
export function createRole(
  scope: Construct,
  id: string,
  about: {
    readonly part: string
    readonly principal: IPrincipal
    readonly granted: Granted
    readonly grants: Grants
    readonly queue?: QueueName
    readonly logs: LogGroup
  },
): Role {
  const { granted, logs } = about
  const role = new Role(scope, id, {
    roleName: roleOf(granted.settings.installation, about.part, Stack.of(scope).region),
    description: `${granted.settings.installation}: ${about.part}`,
    assumedBy: about.principal,
  })
  const statements = statementsOf(scope, granted, about.grants, about.queue)
  for (const statement of [...statements, logStatement(logs)]) role.addToPolicy(statement)
  return role
}

function logStatement(logs: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logs.logGroupArn],
  })
}
