/** The local cloud gives functions and tasks what the template gives them. */
import { expect, test } from 'vitest'
import { functionsTable } from '../../infra/functions-table.ts'
import { readProcessConfigurations } from '../../infra/local-cloud/process-configurations.ts'
import { resolveIntrinsics, type Template } from '../../infra/local-cloud/resolve-intrinsics.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { type AwsVariable, awsVariables } from '../../shared/config/aws-resource-names.ts'
import { readGroupResources } from '../../shared/platform/aws/aws-resources.ts'

const settings = readInstallationSettings({
  'antichain:installation': 'shop',
  'antichain:region': 'eu-central-1',
})
if ('problems' in settings) throw new Error(settings.problems.join('\n'))
const secretsKey = 'arn:aws:kms:eu-central-1:000000000000:key/secrets'
const configurations = readProcessConfigurations(settings, {
  account: '000000000000',
  region: 'eu-central-1',
  queueUrlOf: name => `http://127.0.0.1:1/000000000000/${name}`,
  secretsKey,
})

test('every function and every task has its role, variables and home folder', () => {
  const tasks = functionsTable.filter(({ longQueue }) => longQueue !== undefined)
  const names = [
    ...functionsTable.map(({ name }) => `shop-${name}`),
    ...tasks.map(({ name }) => `shop-long-${name}`),
  ]
  expect([...configurations.keys()].sort()).toEqual(names.sort())
  for (const [name, { role, variables, statements }] of configurations) {
    expect(role).toBe(`${name}-eu-central-1`)
    expect(variables['HOME']).toBe('/tmp')
    // The installer runs scripts of packages, so it knows no resource and has only a log.
    const isInstaller = name === 'shop-installer'
    expect(variables[awsVariables.installation]).toBe(isInstaller ? undefined : 'shop')
    if (isInstaller) expect(statements).toHaveLength(1)
    else expect(statements.length).toBeGreaterThan(2)
    // Every reference is resolved.
    expect(JSON.stringify([variables, statements])).not.toMatch(/"(Ref|Fn::\w+)":/)
  }
})

test('variables of the template name the local resources', () => {
  expect(configurations.get('shop-step-generator')?.variables).toMatchObject({
    [awsVariables.journalTable]: 'shop-journal',
    [awsVariables.bucket]: 'shop-000000000000-eu-central-1',
    [awsVariables.chainsQueue]: 'http://127.0.0.1:1/000000000000/shop-chains',
    [awsVariables.secretsKey]: secretsKey,
    [awsVariables.pool]: 'short',
  })
})

test('only functions whose calls can lead back to themselves may recurse', () => {
  const recursive = [...configurations].flatMap(([name, { allowsRecursion }]) =>
    allowsRecursion ? [name] : [],
  )
  const names = ['schedule', 'step-generator', 'step-executor', 'compaction']
  expect(recursive.sort()).toEqual(names.map(name => `shop-${name}`).sort())
})

test('an unknown function or reference of CloudFormation is an error that names it', () => {
  const template: Template = { Resources: {} }
  const values = { parameters: {}, refOf: () => '', arnOf: () => '' }
  expect(() => resolveIntrinsics({ 'Fn::Cidr': [] }, [template], values)).toThrow('Fn::Cidr')
  expect(() => resolveIntrinsics({ Ref: 'Missing' }, [template], values)).toThrow('Missing')
})

test('functions that all groups share derive for a group the resources of its own functions', () => {
  const groups = readInstallationSettings({
    'antichain:installation': 'shop-2',
    'antichain:region': 'eu-central-1',
    'antichain:groups': 'payments=pay-*,billing;web-1=site',
  })
  if ('problems' in groups) throw new Error(groups.problems.join('\n'))
  const keys = ['shop-2', 'shop-2_payments', 'shop-2_web-1']
  const all = readProcessConfigurations(groups, {
    account: '000000000000',
    region: 'eu-central-1',
    secretsKey,
    queueUrlOf: name => `http://127.0.0.1:1/000000000000/${name}`,
    groupKeys: new Map(keys.map(name => [name, `${secretsKey}-of-${name}`])),
  })
  const variablesOf = (name: string) => all.get(name)?.variables ?? {}
  for (const common of ['api', 'service', 'webhook', 'schedule']) {
    const derived = readGroupResources(variablesOf(`shop-2-${common}`))
    expect(derived.map(({ name, projects }) => [name, projects])).toEqual([
      ['payments', ['pay-*', 'billing']],
      ['web-1', ['site']],
    ])
    for (const { name, resources } of derived) {
      const groupVariables = variablesOf(`shop-2_${name}-step-generator`)
      const compared = Object.entries(awsVariables).filter(
        ([, text]) =>
          groupVariables[text] !== undefined && variablesOf(`shop-2-${common}`)[text] !== undefined,
      )
      expect(compared.length).toBeGreaterThan(common === 'api' ? 12 : 4)
      for (const [variable, text] of compared)
        if (variable !== 'groups' && variable !== 'pool')
          expect([text, resources.get(variable as AwsVariable)]).toEqual([
            text,
            groupVariables[text],
          ])
    }
  }
  // Without groups, a variable of them would have no use.
  for (const { variables } of configurations.values())
    expect(Object.keys(variables).filter(text => text.includes('GROUPS'))).toEqual([])
})
