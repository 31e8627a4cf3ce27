import { expect, test } from 'vitest'
import {
  type PolicyStatement,
  readProcessConfigurations,
} from '../../infra/local-cloud/process-configurations.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { ledgerFolder, readPermissionUses, useKeyOf } from '../aws/permission-ledger.ts'

/** Groups of actions that are allowed together. A use of one action counts for its group. */
const actionGroups: readonly RegExp[] = [
  /^dynamodb:(GetItem|BatchGetItem|Query)$/,
  /^dynamodb:(PutItem|UpdateItem)$/,
  /^dynamodb:(BatchWriteItem|DeleteItem)$/,
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes|GetQueueUrl)$/,
  /^scheduler:(CreateSchedule|UpdateSchedule|DeleteSchedule|GetSchedule)$/,
]

interface Exemption {
  readonly processes: RegExp
  readonly actions: RegExp
  readonly resources: RegExp
  readonly reason: string
}

/** Permissions that are necessary although no test records a use of them. */
const exemptions: readonly Exemption[] = [
  {
    processes: /^(webhook|schedule|api|service|compaction|(long-)?step-(generator|executor))$/,
    actions: /^kms:(Decrypt|GenerateDataKey)$/,
    resources: /key\/at-rest$/,
    reason: 'DynamoDB and S3 use the key at rest for the caller',
  },
  {
    processes: /./,
    actions: /^logs:(CreateLogStream|PutLogEvents)$/,
    resources: /:log-group:[^,]*$/,
    reason: 'Lambda and Fargate write the logs',
  },
  {
    processes: /^long-step-(generator|executor)$/,
    actions: /^ecs:(Get|Update)TaskProtection$/,
    resources: /:task\/[^,]*$/,
    reason: 'the agent of a task calls ECS for it',
  },
  {
    processes: /^scaler$/,
    actions: /^sns:Publish$/,
    resources: /./,
    reason: 'Lambda notifies the topic of failed calls',
  },
  {
    processes: /^api$/,
    actions: /^lambda:InvokeFunction$/,
    resources: /:function:[^,]*-scaler$/,
    reason: 'no test of this tier redrives a message of the long pool',
  },
  {
    processes: /^long-step-generator$/,
    actions: /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes)$/,
    resources: /^[^,]*-nudges-long$/,
    reason: 'no test moves a generator to the long pool',
  },
  {
    processes: /^schedule$/,
    actions:
      /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes|GetQueueUrl)$/,
    resources: /^[^,]*-notifications$/,
    reason: 'Lambda polls the queue of its event source',
  },
  {
    processes: /^schedule$/,
    actions: /^scheduler:DeleteSchedule$/,
    resources: /:schedule\/[^,]*$/,
    reason: 'a schedule of a removed stack is removed when it is due',
  },
  {
    processes: /^step-generator$/,
    actions: /^dynamodb:(BatchWriteItem|DeleteItem)$/,
    resources: /-journal$/,
    reason: 'a generator empties the inbox of late results, which are rare',
  },
  {
    processes: /^step-generator$/,
    actions: /^kms:Encrypt$/,
    resources: /key\/secrets$/,
    reason: 'a generator replaces the data key when a stack with a key of KMS is renamed',
  },
  {
    processes: /^step-executor$/,
    actions: /^dynamodb:(GetItem|BatchGetItem|Query)$/,
    resources: /-catalog$/,
    reason: 'an executor reads other stacks when it refreshes stack references',
  },
  {
    processes: /^step-executor$/,
    actions: /^s3:PutObject$/,
    resources: /\/blobs\/\*$/,
    reason: 'an executor stores results that are too large for an item',
  },
  {
    processes: /^service$/,
    actions: /^s3:ListBucket$/,
    resources: /^[^,]*:s3:::[^,/]*$/,
    reason: 'the service lists blobs to find one that a sweep has set aside, after a day',
  },
  {
    processes: /^compaction$/,
    actions: /^dynamodb:(PutItem|UpdateItem|BatchWriteItem|DeleteItem)$/,
    resources: /-journal$/,
    reason: 'compaction removes records after the late window at the earliest',
  },
  {
    processes: /^compaction$/,
    actions: /^s3:DeleteObject$/,
    resources: /\/blobs\/\*$/,
    reason: 'compaction sets blobs aside after a day, which no test waits for',
  },
  {
    processes: /^compaction$/,
    actions: /^s3:(PutObjectTagging|GetObjectTagging)$/,
    resources: /\/blobs\/\*$/,
    reason: 'a copy of a blob keeps tags that the owner of the account added; Antichain adds none',
  },
]

test.skipIf(ledgerFolder === undefined)(
  'the tests use every permission that the template gives to functions',
  () => {
    const uses = readPermissionUses(ledgerFolder ?? '')
    const permissions = listPermissions(readConfigurations())
    const isNecessary = (permission: Permission): boolean =>
      exemptions.some(exemption => exempts(exemption, permission)) ||
      groupOf(permission).some(action =>
        uses.has(useKeyOf(permission.processName, permission.index, action)),
      )
    const unused = permissions.filter(
      permission =>
        !isNecessary(permission) &&
        !permissionsOfFunction(permission, permissions).some(isNecessary),
    )
    expect(unused.map(textOf)).toEqual([])
  },
)

test('each exemption names permissions of the template', () => {
  const permissions = listPermissions(readConfigurations())
  const superfluous = exemptions.filter(
    exemption => !permissions.some(permission => exempts(exemption, permission)),
  )
  expect(superfluous).toEqual([])
})

/** An action that a statement in the role of a function or task allows. */
interface Permission {
  readonly processName: string
  /** The index of the statement in the role. */
  readonly index: number
  readonly statement: PolicyStatement
  readonly action: string
}

function listPermissions(
  configurations: ReturnType<typeof readConfigurations>,
): readonly Permission[] {
  return [...configurations].flatMap(([processName, { statements }]) =>
    statements.flatMap((statement, index) =>
      actionsOf(statement).map(action => ({ processName, index, statement, action })),
    ),
  )
}

/**
 * Returns the permissions of a function that its task in the long pool has by an equal statement. A
 * task runs the code of its function, so a use by the function shows that the task needs it, too.
 */
function permissionsOfFunction(
  { processName, statement, action }: Permission,
  permissions: readonly Permission[],
): readonly Permission[] {
  const statementText = JSON.stringify(statement)
  return permissions.filter(
    each =>
      processName === `long-${each.processName}` &&
      each.action === action &&
      JSON.stringify(each.statement) === statementText,
  )
}

const textOf = ({ processName, index, action, statement }: Permission): string =>
  `${useKeyOf(processName, index, action)} ${String(statement.Resource)}`

/** Returns the configurations by the names of functions and tasks, without the installation. */
function readConfigurations(): ReturnType<typeof readProcessConfigurations> {
  const region = 'eu-west-1'
  const settings = readInstallationSettings({ 'antichain:region': region })
  if ('problems' in settings) throw new Error(settings.problems.join('\n'))
  const configurations = readProcessConfigurations(settings, {
    account: '000000000000',
    region,
    queueUrlOf: name => `https://sqs.${region}.amazonaws.com/000000000000/${name}`,
    secretsKey: `arn:aws:kms:${region}:000000000000:key/secrets`,
  })
  const prefixLength = settings.installation.length + 1
  return new Map([...configurations].map(([name, value]) => [name.slice(prefixLength), value]))
}

function actionsOf({ Effect, Action }: PolicyStatement): readonly string[] {
  if (Effect === 'Deny') return []
  return typeof Action === 'string' ? [Action] : Action
}

/** Returns the actions of a permission's group in its statement, including its own action. */
function groupOf({ action, statement }: Permission): readonly string[] {
  const group = actionGroups.find(pattern => pattern.test(action))
  return group === undefined ? [action] : actionsOf(statement).filter(each => group.test(each))
}

function exempts(
  { processes, actions, resources }: Exemption,
  { processName, action, statement }: Permission,
): boolean {
  return (
    processes.test(processName) &&
    actions.test(action) &&
    resources.test(String(statement.Resource))
  )
}
