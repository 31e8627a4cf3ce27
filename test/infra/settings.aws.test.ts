import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../infra/assets.ts'
import { readInstallationSettings, settingNames } from '../../infra/settings.ts'
import { installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { toContext, synthesise } from './synthesise.ts'

describe('settings', () => {
  test('are read from texts of the command line', () => {
    const read = readInstallationSettings(
      toContext({
        region: 'eu-central-1',
        logDays: '90',
        executorsMax: '7',
        tags: 'team=x, stage=y',
      }),
    )
    expect(read).toMatchObject({ logDays: 90, executorsMax: 7, tags: ['team=x', 'stage=y'] })
  })

  test.each([
    ['region', 'europe'],
    ['installation', 'My-Name'],
    ['logDays', '31'],
    ['executorsMax', '1'],
    ['tags', 'team'],
    ['alarmEmail', 'nobody'],
    ['architecture', 'mips'],
    ['telemetryEndpoint', 'collector:4317'],
    ['telemetryEndpoint', 'https://user:password@collector'],
    ['publicUrl', 'deploy.example.com'],
    ['publicUrl', 'https://deploy.example.com/#/stacks'],
    ['publicUrl', 'https://deploy.example.com/(x)'],
  ])('%s may not be %s', (name, value) => {
    const read = readInstallationSettings(toContext({ region: 'eu-central-1', [name]: value }))
    expect(read).toMatchObject({ problems: [expect.stringContaining(`antichain:${name}`)] })
  })

  test.each([
    [512, 1_024, true],
    [512, 5_120, false],
    [512, 30_720, false],
    [1_024, 1_024, false],
    [1_024, 8_192, true],
    [2_048, 16_384, true],
    [2_048, 4_097, false],
    [4_096, 1_024, false],
    [4_096, 30_720, true],
  ])('longCpu %i and longMb %i are a pair of Fargate: %s', (longCpu, longMb, isPair) => {
    const read = readInstallationSettings(toContext({ region: 'eu-central-1', longCpu, longMb }))
    const problems = 'problems' in read ? read.problems : []
    const problem = expect.stringMatching(/^antichain:longMb: Fargate offers \d+ to \d+ MB/)
    expect(problems).toEqual(isPair ? [] : [problem])
  })

  test('that are unknown are refused, and context of other tools is ignored', () => {
    expect(
      readInstallationSettings(toContext({ region: 'eu-central-1', size: '1' })),
    ).toHaveProperty('problems')
    expect(
      readInstallationSettings({ 'antichain:region': 'eu-central-1', size: '1' }),
    ).not.toHaveProperty('problems')
  })

  test('are listed in docs/aws.md completely', () => {
    const page = readFileSync(join(projectRoot, 'docs', 'aws.md'), 'utf8')
    const section = page.split('## Settings')[1]?.split('\n## ')[0] ?? ''
    const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(settingNames)
  })
})

describe('several installations in one account', () => {
  const usual = synthesise()
  const other = synthesise({
    installation: 'other',
    tags: 'team=x',
    architecture: 'x86_64',
    telemetryEndpoint: 'https://collector:4318',
  })
  const nameProperty = /"(\w*Name|Family|AliasName)":"([^"]+)"/g

  test('have no resource name in common', () => {
    const parseNames = (text: string): Set<string> =>
      new Set(
        [...text.matchAll(nameProperty)]
          .filter(([, key = '']) => uniqueNameKeys.has(key))
          .map(([, , name]) => name ?? ''),
      )
    const texts = [usual, other].map(({ data, main }) =>
      JSON.stringify([data.toJSON(), main.toJSON()]),
    )
    const [firstNames, secondNames] = texts.map(parseNames)
    expect(firstNames?.size).toBeGreaterThan(40)
    expect([...(firstNames ?? [])].filter(name => secondNames?.has(name))).toEqual([])
  })

  test('have their own names and the tags of their settings', () => {
    other.main.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: installationNamesOf('other').queues.chains,
      Tags: [
        { Key: 'antichain:installation', Value: 'other' },
        { Key: 'antichain:part', Value: 'Queues' },
        { Key: 'team', Value: 'x' },
      ],
    })
  })

  test('send telemetry from all functions but installer and scaler, and only with an endpoint', () => {
    const listSenders = (template: string): readonly string[] => {
      const { Resources } = JSON.parse(template) as { Resources: Record<string, unknown> }
      return Object.entries(Resources)
        .filter(([, resource]) => JSON.stringify(resource).includes('OTEL_EXPORTER_OTLP_ENDPOINT'))
        .map(([id]) => id.replaceAll(/Functions|LongPool|[0-9A-F]{8}$/g, ''))
        .sort()
    }
    const [without, senders] = [usual, other].map(({ main }) =>
      listSenders(JSON.stringify(main.toJSON())),
    )
    expect(without).toEqual([])
    expect(senders).toEqual([
      ...['Api', 'Compaction', 'LongStepExecutorTask', 'LongStepGeneratorTask', 'Schedule'],
      ...['Service', 'StepExecutor', 'StepGenerator', 'Webhook'],
    ])
  })

  test('have the architecture of their settings', () => {
    other.main.allResourcesProperties('AWS::Lambda::Function', { Architectures: ['x86_64'] })
  })
})

/** Properties with a name that must be unique in an account and region. */
const uniqueNameKeys = new Set([
  'AlarmName',
  'AliasName',
  'ClusterName',
  'DashboardName',
  'Family',
  'FunctionName',
  'LogGroupName',
  'QueueName',
  'RoleName',
  'TableName',
  'TopicName',
])
