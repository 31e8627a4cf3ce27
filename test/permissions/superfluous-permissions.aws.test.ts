import { expect, test } from 'vitest'
import {
  type PolicyStatement,
  readProcessConfigurations,
} from '../../infra/local-cloud/process-configurations.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { ledgerFolder, readPermissionUses, useKeyOf } from '../aws/permission-ledger.ts'

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
]

test.skipIf(ledgerFolder === undefined)(
  'the tests use every permission that the template gives to functions',
  () => {
    const uses = readPermissionUses(ledgerFolder ?? '')
    const unused = [...readConfigurations()].flatMap(([name, { statements }]) =>
      statements.flatMap((statement, index) =>
        actionsOf(statement)
          .filter(action => !isUnseen(name, action, statement))
          .filter(action => !uses.has(useKeyOf(name, index, action)))
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

function isUnseen(name: string, action: string, { Resource }: PolicyStatement): boolean {
  return unseenUses.some(
    ({ processes = /./, actions, resources = /./ }) =>
      processes.test(name) && actions.test(action) && resources.test(String(Resource)),
  )
}
