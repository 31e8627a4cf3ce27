import { expect, test } from 'vitest'
import {
  type PolicyStatement,
  readProcessConfigurations,
} from '../../infra/local-cloud/process-configurations.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { ledgerFolder, readPermissionUses, useKeyOf } from '../aws/permission-ledger.ts'

/** Actions that the installation gives together. One used action shows the use of its group. */
const actionGroups: readonly RegExp[] = [
  /^dynamodb:(GetItem|BatchGetItem|Query)$/,
  /^dynamodb:(PutItem|UpdateItem)$/,
  /^dynamodb:(BatchWriteItem|DeleteItem)$/,
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes|GetQueueUrl)$/,
  /^scheduler:/,
]

/** Permissions that no request of a function shows, with the reason. */
const unseenUses: readonly {
  readonly processes?: RegExp
  readonly actions: RegExp
  readonly resources?: RegExp
  readonly reason: string
}[] = [
  {
    actions: /^kms:(Decrypt|GenerateDataKey)$/,
    resources: /key\/at-rest$/,
    reason: 'DynamoDB and S3 use the key at rest for the caller',
  },
  { actions: /^logs:/, reason: 'Lambda and Fargate write the logs' },
  { actions: /^ecs:/, reason: 'the agent of a task calls ECS for it' },
  {
    processes: /^long-/,
    actions: /./,
    reason: 'tasks of the long pool run the code of functions; the nightly tests use most',
  },
  {
    processes: /^schedule$/,
    actions: /^sqs:(Rec|Del|Cha|Get)/,
    resources: /notifications$/,
    reason: 'Lambda polls the queue of its event source',
  },
  {
    actions: /^sqs:/,
    resources: /-dead/,
    reason: 'the nightly tests redrive dead letters',
  },
  {
    processes: /^(api|step-generator)$/,
    actions: /^sqs:SendMessage$/,
    resources: /chains-long(,|$)/,
    reason: 'a redrive sends with the permissions of its caller, in the nightly tests',
  },
  {
    actions: /^s3:ListBucket$/,
    reason: 'without it S3 responds to a missing object as to a forbidden one',
  },
  {
    processes: /^schedule$/,
    actions: /^scheduler:DeleteSchedule$/,
    reason: 'a schedule of a removed stack is removed when it is due',
  },
  {
    processes: /^step-generator$/,
    actions: /^dynamodb:(BatchWriteItem|DeleteItem)$/,
    resources: /journal$/,
    reason: 'a generator empties the inbox of late results, which are rare',
  },
  {
    processes: /^step-generator$/,
    actions: /^kms:Encrypt$/,
    reason: 'a generator replaces the data key of a stack that is renamed under a key of KMS',
  },
  {
    processes: /^step-executor$/,
    actions: /^dynamodb:(GetItem|BatchGetItem|Query)$/,
    resources: /catalog$/,
    reason: 'an executor reads other stacks when it refreshes stack references',
  },
  {
    processes: /^step-executor$/,
    actions: /^s3:PutObject$/,
    reason: 'an executor stores results that are too large for an item',
  },
  {
    processes: /^compaction$/,
    actions: /^dynamodb:(PutItem|UpdateItem|BatchWriteItem|DeleteItem)$/,
    resources: /journal$/,
    reason: 'compaction removes records after days, which no test of this tier waits for',
  },
  {
    processes: /^compaction$/,
    actions: /^s3:(PutObjectTagging|GetObjectTagging|DeleteObject)$/,
    reason: 'compaction sets blobs aside after days, which no test of this tier waits for',
  },
]

test.skipIf(ledgerFolder === undefined)(
  'the tests use every permission that the template gives to functions',
  () => {
    const uses = readPermissionUses(ledgerFolder ?? '')
    const unused = [...readConfigurations()].flatMap(([name, { statements }]) =>
      statements.flatMap((statement, index) =>
        actionsOf(statement)
          .filter(action => !isUnseen(name, action, statement))
          .filter(
            action =>
              !groupOf(action, actionsOf(statement)).some(each =>
                uses.has(useKeyOf(name, index, each)),
              ),
          )
          .map(action => `${useKeyOf(name, index, action)} ${String(statement.Resource)}`),
      ),
    )
    expect(unused).toEqual([])
  },
)

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

/** Returns the actions of a statement's group, which includes the action itself. */
function groupOf(action: string, actions: readonly string[]): readonly string[] {
  const group = actionGroups.find(pattern => pattern.test(action))
  return group === undefined ? [action] : actions.filter(each => group.test(each))
}

function isUnseen(name: string, action: string, { Resource }: PolicyStatement): boolean {
  return unseenUses.some(
    ({ processes = /./, actions, resources = /./ }) =>
      processes.test(name) && actions.test(action) && resources.test(String(Resource)),
  )
}
