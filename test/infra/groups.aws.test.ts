/**
 * The template of an installation with groups of stacks: the roles of one group name no resource of
 * another one.
 */
import { describe, expect, test } from 'vitest'
import { functionsTable } from '../../infra/functions-table.ts'
import { groupsMax } from '../../shared/config/stack-groups.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { type Statement, synthesise, toContext } from './synthesise.ts'

const templates = synthesise({ groups: 'payments=pay-*,billing;shop=shop' })
const templatesWithoutGroups = synthesise()
const rowsPerGroup = functionsTable.filter(({ isPerGroup }) => isPerGroup === true)
/** The names of the functions of a group, and of its tasks of the long pool. */
const groupProcesses = rowsPerGroup.flatMap(({ name, longEntry }) =>
  longEntry === undefined ? [name] : [name, `long-${name}`],
)
/** The functions that run programs or plugins of users. */
const programProcesses = groupProcesses.filter(
  processName => processName !== 'compaction' && processName !== 'scaler',
)

/** Returns the allowing statements of a role as text, with the values of exports resolved. */
const textOf = (role: string): string => JSON.stringify(templates.listAllowStatements(role))

describe('a group of stacks', () => {
  test('has tables, a bucket, queues, a key, functions and roles of its own', () => {
    const countAdded = (type: string): number =>
      templates.resources(type).size - templatesWithoutGroups.resources(type).size
    expect(countAdded('AWS::DynamoDB::GlobalTable')).toBe(2 * 2)
    expect(countAdded('AWS::S3::Bucket')).toBe(2)
    expect(countAdded('AWS::SQS::Queue')).toBe(2 * 10)
    expect(countAdded('AWS::KMS::Key')).toBe(2)
    expect(countAdded('AWS::Lambda::Function')).toBe(2 * rowsPerGroup.length)
    expect(countAdded('AWS::ECS::Service')).toBe(2 * 2)
    expect(countAdded('AWS::EC2::VPC')).toBe(0)
    expect(countAdded('AWS::Scheduler::Schedule')).toBe(2 * 2)
    expect(countAdded('AWS::IAM::ManagedPolicy')).toBe(0)
    const names = [...templates.resources('AWS::Lambda::Function').values()]
      .map(({ Properties }) => String(Properties['FunctionName']))
      .filter(name => name.includes('_'))
    expect(names.toSorted()).toEqual([
      ...['antichain_payments-compaction', 'antichain_payments-scaler'],
      ...['antichain_payments-step-executor', 'antichain_payments-step-generator'],
      ...['antichain_shop-compaction', 'antichain_shop-scaler'],
      ...['antichain_shop-step-executor', 'antichain_shop-step-generator'],
    ])
  })

  test('changes no resource of the default group', () => {
    const before = {
      ...templatesWithoutGroups.data.toJSON()['Resources'],
      ...templatesWithoutGroups.main.toJSON()['Resources'],
    }
    const after = {
      ...templates.data.toJSON()['Resources'],
      ...templates.main.toJSON()['Resources'],
    }
    const changed = Object.keys(before).filter(
      id => JSON.stringify(before[id]) !== JSON.stringify(after[id]),
    )
    // Only functions and roles that all groups share get further resources.
    const shared = /^(Functions(Webhook|Schedule|Api|Service)|ScheduleRole)/
    expect(changed.filter(id => !shared.test(id))).toEqual([
      // These refuse stacks of other groups by name.
      expect.stringMatching(/^FunctionsStepGenerator\w{8}$/),
      expect.stringMatching(/^FunctionsStepExecutor\w{8}$/),
      // Its tags name the groups.
      expect.stringMatching(/^ScheduleGroup\w{8}$/),
      expect.stringMatching(/^LongPoolLongStepGeneratorTask/),
      expect.stringMatching(/^LongPoolLongStepExecutorTask/),
      // It has rows of each group.
      expect.stringMatching(/^ObservabilityDashboard\w{8}$/),
    ])
    const roles = changed.filter(id => after[id].Type === 'AWS::IAM::Policy')
    expect(roles.filter(id => /Step|Compaction|Installer/.test(id))).toEqual([])
  })

  test('has the same rows of the dashboard as the default group, with its own metrics', () => {
    const bodyOf = ({ resources }: typeof templates): string => {
      const [dashboard] = resources('AWS::CloudWatch::Dashboard').values()
      return JSON.stringify(dashboard?.Properties['DashboardBody'])
    }
    const titlesOf = (body: string): readonly string[] =>
      [...body.matchAll(/title\\+":\\+"([^"\\]+)/g)].map(([, title = '']) => title)
    const usualTitles = titlesOf(bodyOf(templatesWithoutGroups))
    expect(usualTitles).toHaveLength(8)
    expect(titlesOf(bodyOf(templates))).toEqual([
      ...usualTitles,
      ...usualTitles.map(title => `${title}: payments`),
      ...usualTitles.map(title => `${title}: shop`),
    ])
    for (const name of ['payments', 'shop']) {
      // Tables and the metrics of Antichain have names. Queues and functions are references.
      expect(bodyOf(templates)).toContain(`antichain_${name}-journal`)
      expect(bodyOf(templates)).toMatch(new RegExp(`"Ref":"Group${name}Functions\\w+"`))
      expect(bodyOf(templates)).toMatch(new RegExp(`"Group${name}Queues\\w+","QueueName"`))
    }
    expect(bodyOf(templatesWithoutGroups)).not.toContain('antichain_')
  })

  test('cannot be so many that the dashboard exceeds the limits of CloudWatch', () => {
    const groups = Array.from({ length: groupsMax }, (_, index) => `g${index}=p${index}`).join(';')
    const [dashboard] = synthesise({ groups }).resources('AWS::CloudWatch::Dashboard').values()
    const body = JSON.stringify(dashboard?.Properties['DashboardBody'])
    expect(body.match(/"metric\\+"/g)).toHaveLength(8 * (1 + groupsMax))
    expect(body.length).toBeLessThan(200_000)
  })

  test.each(groupProcesses)('%s of a group names no resource of another group', processName => {
    for (const [own, other] of [
      ['payments', 'shop'],
      ['shop', 'payments'],
    ]) {
      const text = textOf(`antichain_${own}-${processName}`)
      expect(text).toContain(own)
      expect(text.toLowerCase()).not.toContain(`group${other}`)
      expect(text).not.toContain(`_${other}`)
      expect(text).not.toContain(`-${other}`)
    }
  })

  test.each(groupProcesses)('%s of a group names no resource of the default group', processName => {
    const text = textOf(`antichain_payments-${processName}`)
    // The logical ids of the resources of a group begin with `Grouppayments`.
    const imports = [...text.matchAll(/ExportsOutput(?:Ref|FnGetAtt)(\w+?)(?:Arn)?[0-9A-F]{8}"/g)]
    const shared = imports.map(([, id = '']) => id).filter(id => !id.startsWith('Grouppayments'))
    // The key at rest can be used only through DynamoDB and S3.
    expect(new Set(shared.filter(id => !id.startsWith('EncryptionDataKey')))).toEqual(new Set())
    const local = [...text.matchAll(/"Fn::GetAtt\\?":\[\\?"(\w+)/g)].map(([, id = '']) => id)
    expect(local.filter(id => !id.startsWith('Grouppayments'))).toEqual([])
    const account = /\\?",\{\\?"Ref\\?":\\?"AWS::AccountId\\?"\},\\?"/g
    const names = [...text.replaceAll(account, '1').matchAll(/antichain[-_][\w-]*/g)]
    const own = /^antichain_payments(-|$)|^antichain-1-eu-central-1-payments$/
    // The names of exports, the installer without permissions, and fields of encryption contexts.
    const harmless = /^antichain-(data|installer|purpose|stack)$/
    expect(
      names.map(([name]) => name).filter(name => !own.test(name) && !harmless.test(name)),
    ).toEqual([])
  })

  test.each(programProcesses)('%s assumes roles with the name of its group only', processName => {
    const roleArns = templates
      .listAllowStatements(`antichain_payments-${processName}`)
      .filter(({ actions }) => actions.includes('sts:AssumeRole'))
    expect(roleArns.flatMap(({ resources }) => resources)).toEqual([
      'arn:aws:iam::*:role/antichain_payments-deploy-*',
    ])
    expect(roleArns.map(({ conditions }) => conditions)).toEqual([
      { StringLike: { 'sts:ExternalId': 'antichain_payments/*' } },
    ])
  })

  test('no pattern of the default group matches a name of a group', () => {
    for (const processName of groupProcesses) {
      const text = textOf(`antichain-${processName}`)
      expect(text).not.toContain('Group')
      expect(text).not.toContain('antichain*')
      expect(text).not.toContain('antichain_')
    }
  })
})

/** Returns the actions of statements, each with its conditions. */
const listUses = (statements: readonly Statement[]): ReadonlySet<string> =>
  new Set(
    statements.flatMap(({ actions, conditions }) =>
      actions.map(action => `${action} ${JSON.stringify(conditions)}`),
    ),
  )

describe('functions that all groups share', () => {
  test.each(['api', 'service', 'webhook', 'schedule'])(
    '%s may use the tables, queues and keys of all groups, with the same conditions',
    processName => {
      const after = templates.listAllowStatements(`antichain-${processName}`)
      expect(listUses(after)).toEqual(
        listUses(templatesWithoutGroups.listAllowStatements(`antichain-${processName}`)),
      )
      const text = JSON.stringify(after)
      for (const name of ['antichain_*-catalog', 'antichain_*-nudges']) expect(text).toContain(name)
    },
  )

  test('have policies within the limit of IAM, with the longest groups', () => {
    const long = synthesise({
      installation: 'sixteen-letters1',
      groups: 'group-name-1=a;group-name-2=b;group-name-3=c;group-name-4=d',
    })
    // The CDK moves statements beyond the limit of an inline policy into a managed policy.
    expect(long.resources('AWS::IAM::ManagedPolicy').size).toBe(0)
  })
})

test.each([
  ['default=a', 'choose another name'],
  ['a=b;c=b', 'remove one of them'],
])('the setting groups=%s is refused', (groups, nextStep) => {
  const read = readInstallationSettings(toContext({ region: 'eu-central-1', groups }))
  expect(read).toEqual({
    problems: [expect.stringMatching(new RegExp(`^antichain:groups: .*${nextStep}`))],
  })
})

test('a group and an installation have names that fit into the name of a role', () => {
  const installation = 'an-installation-name'
  const read = readInstallationSettings(
    toContext({ region: 'eu-central-1', installation, groups: 'nine-char=a' }),
  )
  expect(read).toEqual({ problems: [expect.stringContaining('at most 28 characters together')] })
  const roles = synthesise({ installation, groups: 'eight-ch=a', region: 'ap-southeast-1' })
  for (const { Properties } of roles.resources('AWS::IAM::Role').values())
    expect(String(Properties['RoleName']).length).toBeLessThanOrEqual(64)
})
