import { beforeEach, describe, expect, test } from 'vitest'
import type { SubnetDescription } from '../../../cli/platform/find-network-faults.ts'
import type {
  CdkRun,
  InstallationStatus,
  InstallationTarget,
  SecretsKey,
} from '../../../cli/platform/platform-port.ts'
import { createError } from '../../../shared/errors/error.ts'
import { type CliBench, createCliBench } from './cli-bench.ts'

const account = '111122223333'
const success: CdkRun = { exitCode: 0, output: '' }
const absentInstallation: InstallationStatus = {
  tables: [{ name: 'antichain-journal', status: undefined, isProtected: false, hasOwnKey: false }],
  queues: [{ name: 'antichain-chains', counts: undefined }],
  bucket: { name: 'antichain-111122223333-eu-central-1', isThere: false },
  apiUrl: undefined,
  serviceUrl: undefined,
  webhookUrl: undefined,
  groups: {},
}

const completeInstallation: InstallationStatus = {
  ...absentInstallation,
  tables: [{ name: 'antichain-journal', status: 'ACTIVE', isProtected: true, hasOwnKey: true }],
}

let bench: CliBench
let runs: { readonly args: readonly string[]; readonly where: InstallationTarget }[]
let results: CdkRun[]
let inspected: InstallationStatus
let drafts: object[]
let busyTasks: Readonly<Record<string, number>>
let subnets: readonly SubnetDescription[]
let secretsKey: SecretsKey | undefined
let secretsKeyFault: string | undefined

beforeEach(() => {
  bench = createCliBench()
  runs = []
  results = [success]
  inspected = completeInstallation
  bench.platform = {
    readAccount: async () => account,
    runCdk: async (where, args) => {
      runs.push({ where, args })
      return (results.length > 1 ? results.shift() : results[0]) ?? success
    },
    inspect: async () => inspected,
    readAvailableConcurrency: async () => 900,
    describeSubnets: async () => subnets,
    describeSecretsKey: async () => secretsKey,
    findSecretsKeyFault: async () => secretsKeyFault,
    readContextSettings: () => [],
    countProtectedTasks: async (_where, cluster) => busyTasks[cluster] ?? 0,
    useAlarm: () => Promise.reject(new Error('no alarm')),
    createToken: async (_where, draft) => {
      drafts.push(draft)
      return { id: '0123456789abcdef', token: 'act_text' }
    },
  }
  drafts = []
  busyTasks = {}
  subnets = []
  secretsKey = undefined
  secretsKeyFault = undefined
})

describe('platform token', () => {
  const args = ['platform', 'token', '--region', 'eu-central-1'] as const

  test('prints only the token on standard output', async () => {
    const { exit, out, err } = await bench.run(...args, 'me', '--days', '30', '--yes')
    expect([exit, out]).toEqual([0, 'act_text\n'])
    expect(err).toContain('0123456789abcdef')
    expect(err).not.toContain('act_text')
    expect(drafts).toEqual([{ name: 'me', days: 30 }])
  })

  test('prompts first, and creates no token without confirmation or terminal', async () => {
    expect((await bench.run(...args)).err).toContain('--yes must be passed in')
    bench.isTerminal = true
    bench.answers.push('no')
    expect((await bench.run(...args)).err).toContain('CONFIRMATION_DECLINED')
    expect((await bench.run(...args, '--yes', '--days', 'x')).exit).toBe(1)
    expect((await bench.run(...args, '--yes', 'a/b')).exit).toBe(1)
    expect(drafts).toEqual([])
  })
})

const deployArgs = ['platform', 'deploy', '--region', 'eu-central-1'] as const
const listVerbs = (): readonly (string | undefined)[] => runs.map(({ args }) => args[0])

describe('platform deploy', () => {
  test('prints the changes, prompts, and applies them', async () => {
    bench.isTerminal = true
    bench.answers.push('antichain')
    const { exit, err } = await bench.run(...deployArgs)
    expect([exit, listVerbs()]).toEqual([0, ['diff', 'deploy']])
    expect(err).toContain(`account ${account}, eu-central-1`)
  })

  test.each([
    ['a new installation', undefined, false],
    ['an installation whose protection was removed', 'ACTIVE', false],
  ])('%s gets its data stack unprotected first, then protected', async (_, state, isProtected) => {
    inspected = {
      ...absentInstallation,
      tables: [{ name: 'antichain-journal', status: state, isProtected, hasOwnKey: true }],
    }
    expect((await bench.run(...deployArgs, '--yes')).exit).toBe(0)
    const isUnprotected = runs.map(({ args }) => args.includes('antichain:dataProtection=off'))
    const isMain = runs.map(({ args }) => args.includes('antichain'))
    expect(listVerbs()).toEqual(['diff', 'deploy', 'deploy'])
    expect(isUnprotected).toEqual([false, true, false])
    expect(isMain).toEqual([true, false, true])
  })

  test('protects and creates nothing more when the data stack cannot be created', async () => {
    inspected = absentInstallation
    results = [success, { exitCode: 1, output: 'ROLLBACK_COMPLETE' }]
    const { exit, err } = await bench.run(...deployArgs, '--yes')
    expect([exit, listVerbs()]).toEqual([1, ['diff', 'deploy']])
    expect(err).toContain('error[PLATFORM_FAILED]')
  })

  test('names both stacks and passes the settings to both runs', async () => {
    await bench.run(...deployArgs, '--yes', '--installation', 'site', '--set', 'executorsMax=7')
    const context = [
      ...['installation=site', 'region=eu-central-1', 'availableConcurrency=900'],
      'executorsMax=7',
    ]
    const contextArgs = context.flatMap(text => ['--context', `antichain:${text}`])
    for (const { args } of runs)
      expect(args.slice(1, 11)).toEqual(['site-data', 'site', ...contextArgs])
  })

  test('passes the checked settings of the keys to the CloudFormation rules of both stacks', async () => {
    await bench.run(...deployArgs, '--yes', '--set', 'dataKey=aws', '--set', 'dataKey=own')
    const [diff, deployment] = runs
    expect(diff?.args).not.toContain('--parameters')
    expect(deployment?.args.join(' ')).toContain(
      [
        ...['antichain-data:DataKeySetting=own', 'antichain-data:SealingKeySetting=own'],
        ...['antichain:DataKeySetting=own', 'antichain:SealingKeySetting=own'],
      ]
        .map(text => `--parameters ${text}`)
        .join(' '),
    )
  })

  test.each([
    ['a task works', 1, true],
    ['no task works', 0, false],
  ])(
    'warns of busy tasks of the long pool only if there are any: %s',
    async (_, tasks, isWarned) => {
      busyTasks = { antichain: tasks }
      const { exit, err } = await bench.run(...deployArgs, '--preview')
      expect([exit, err.includes('warning: tasks of the long pool are busy')]).toEqual([
        0,
        isWarned,
      ])
    },
  )

  test('warns of busy tasks in the long pool of each group by its name', async () => {
    const { tables, queues, bucket } = completeInstallation
    const group = { tables, queues, bucket }
    inspected = { ...completeInstallation, groups: { idle: group, pay: group, shop: group } }
    busyTasks = { antichain_pay: 1, antichain_shop: 2 }
    const { exit, err } = await bench.run(...deployArgs, '--preview')
    const warnings = err.split('\n').filter(line => line.startsWith('warning:'))
    expect([exit, warnings]).toEqual([
      0,
      [
        expect.stringContaining("tasks of the long pool of the group 'pay' are busy"),
        expect.stringContaining("tasks of the long pool of the group 'shop' are busy"),
      ],
    ])
  })

  test.each([
    ['remove', true, ['dataKey=aws'], [], 'dataKey=aws applies to new installations only'],
    ['add', false, [], ['dataKey=aws'], 'Add --set dataKey=aws'],
  ])(
    'is refused when it would %s the key of the data',
    async (_, hasOwnKey, refused, accepted, message) => {
      const tables = completeInstallation.tables.map(table => ({ ...table, hasOwnKey }))
      inspected = { ...completeInstallation, tables }
      const runWith = (settings: readonly string[]) =>
        bench.run(...deployArgs, '--yes', ...settings.flatMap(setting => ['--set', setting]))
      const { exit, err } = await runWith(refused)
      expect([exit, listVerbs()]).toEqual([2, []])
      expect(err).toContain(message)
      expect((await runWith(accepted)).exit).toBe(0)
      inspected = absentInstallation
      expect((await runWith(refused)).exit).toBe(0)
    },
  )

  const keyArn = 'arn:aws:kms:eu-central-1:111122223333:key/0a'
  test.each([
    [
      'an own key',
      { arn: keyArn, isOwn: true },
      [`secretsKey=${keyArn}`],
      [],
      'Leave secretsKey out',
    ],
    [
      'an existing key',
      { arn: keyArn, isOwn: false },
      [],
      [`secretsKey=${keyArn}`],
      `Add --set secretsKey=${keyArn}`,
    ],
    ['no key', undefined, undefined, [`secretsKey=${keyArn}`], ''],
  ])(
    'is refused when it would change the key of the secrets: %s',
    async (_, existing, refused, accepted, hint) => {
      secretsKey = existing
      const runWith = (settings: readonly string[]) =>
        bench.run(...deployArgs, '--yes', ...settings.flatMap(setting => ['--set', setting]))
      if (refused !== undefined) {
        const { exit, err } = await runWith(refused)
        expect([exit, listVerbs()]).toEqual([2, []])
        expect(err).toContain('the key for secrets cannot change')
        expect(err).toContain(hint)
      }
      expect((await runWith(accepted)).exit).toBe(0)
    },
  )

  test('is refused with an existing key that cannot encrypt the secrets', async () => {
    secretsKeyFault = 'the key is not enabled'
    const { exit, err } = await bench.run(...deployArgs, '--yes', '--set', `secretsKey=${keyArn}`)
    expect([exit, listVerbs()]).toEqual([2, []])
    expect(err).toContain(`secretsKey=${keyArn}: the key is not enabled`)
  })

  test('is refused when functions would not reach AWS from the subnets', async () => {
    subnets = [{ id: 'subnet-1', vpc: 'vpc-1', defaultRoute: undefined }]
    const network = ['--set', 'vpc=vpc-1', '--set', 'subnets=subnet-1']
    const { exit, err } = await bench.run(...deployArgs, '--yes', ...network)
    expect([exit, listVerbs()]).toEqual([2, ['diff']])
    expect(err).toContain(
      'would not reach AWS from vpc-1: the subnet subnet-1 has no default route',
    )
    subnets = [{ id: 'subnet-1', vpc: 'vpc-1', defaultRoute: 'other' }]
    expect((await bench.run(...deployArgs, '--yes', ...network)).exit).toBe(0)
  })

  test('changes nothing with --preview', async () => {
    expect((await bench.run(...deployArgs, '--preview')).exit).toBe(0)
    expect(listVerbs()).toEqual(['diff'])
  })

  test('changes nothing without confirmation', async () => {
    bench.isTerminal = true
    bench.answers.push('y')
    const { exit, err } = await bench.run(...deployArgs)
    expect([exit, listVerbs()]).toEqual([1, ['diff']])
    expect(err).toContain('error[CONFIRMATION_DECLINED]')
  })

  test('requires --yes without a terminal', async () => {
    const { err } = await bench.run(...deployArgs)
    expect(err).toContain('--yes must be passed in')
    expect(listVerbs()).toEqual(['diff'])
  })

  test('uses the region of the environment, and reports a missing one', async () => {
    bench.env['AWS_REGION'] = 'us-east-2'
    await bench.run('platform', 'deploy', '--preview')
    expect(runs[0]?.where.region).toBe('us-east-2')
    delete bench.env['AWS_REGION']
    const { exit, err } = await bench.run('platform', 'deploy', '--preview')
    expect(exit).toBe(2)
    expect(err).toContain('error[PLATFORM_REGION_MISSING]')
  })

  test('passes a profile on', async () => {
    await bench.run(...deployArgs, '--preview', '--profile', 'prod')
    expect(runs[0]?.where.env).toMatchObject({ AWS_PROFILE: 'prod', AWS_REGION: 'eu-central-1' })
  })

  test.each([
    ['Site', 'is not a valid installation name'],
    ['a', 'is not a valid installation name'],
  ])('refuses the installation name %s', async (name, sentence) => {
    const { exit, err } = await bench.run(...deployArgs, '--installation', name)
    expect([exit, runs]).toEqual([1, []])
    expect(err).toContain(sentence)
  })

  test('refuses a setting without a value', async () => {
    expect((await bench.run(...deployArgs, '--set', 'executorsMax')).err).toContain(
      'error[CLI_USAGE]',
    )
  })

  test.each(['installation', 'region'])('refuses --set %s, which has an option', async name => {
    const { exit, err } = await bench.run(...deployArgs, '--set', `${name}=other`)
    expect([exit, runs]).toEqual([1, []])
    expect(err).toContain(`use --${name}`)
  })

  test('stops before the CDK without AWS credentials', async () => {
    bench.platform = {
      ...bench.platform,
      readAccount: async () => {
        throw createError('PLATFORM_CREDENTIALS_MISSING', 'AWS does not know who asks')
      },
    }
    const { exit, err } = await bench.run(...deployArgs, '--yes')
    expect([exit, runs]).toEqual([3, []])
    expect(err).toContain('aws sso login')
  })

  test('reports the reason when the deployment fails', async () => {
    results = [
      success,
      { exitCode: 1, output: 'User: x is not authorized to perform: iam:CreateRole on y' },
    ]
    const { exit, err } = await bench.run(...deployArgs, '--yes')
    expect(exit).toBe(1)
    expect(err).toContain('error[PLATFORM_PERMISSION_MISSING]: the permission iam:CreateRole')
  })
})

describe('platform destroy', () => {
  const destroyArgs = ['platform', 'destroy', '--region', 'eu-central-1'] as const

  test('removes only the main stack, and lists the remaining resources', async () => {
    const { exit, err } = await bench.run(...destroyArgs, '--yes')
    expect([exit, listVerbs()]).toEqual([0, ['destroy']])
    expect(runs[0]?.args).not.toContain('antichain-data')
    expect(runs[0]?.args).toContain('--exclusively')
    expect(err).toContain(
      'antichain-journal, antichain-catalog, antichain-111122223333-eu-central-1',
    )
  })

  test('asks for confirmation first', async () => {
    const { err } = await bench.run(...destroyArgs)
    expect(err).toContain('--yes must be passed in')
    expect(runs).toEqual([])
  })
})

describe('platform status', () => {
  const statusArgs = ['platform', 'status', '--region', 'eu-central-1'] as const

  test('fails without an installation', async () => {
    inspected = absentInstallation
    const { exit, err } = await bench.run(...statusArgs)
    expect(exit).toBe(6)
    expect(err).toContain("the installation 'antichain' does not exist in account 111122223333")
  })

  test('prints tables, addresses and queues', async () => {
    inspected = {
      tables: [
        { name: 'antichain-journal', status: 'ACTIVE', isProtected: true, hasOwnKey: false },
        { name: 'antichain-catalog', status: 'ACTIVE', isProtected: false, hasOwnKey: false },
      ],
      queues: [
        { name: 'antichain-chains', counts: { waiting: 3, held: 2, dead: 1 } },
        { name: 'antichain-nudges', counts: undefined },
      ],
      bucket: { name: 'b', isThere: true },
      apiUrl: 'https://x.lambda-url.eu-central-1.on.aws/',
      serviceUrl: 'https://y.lambda-url.eu-central-1.on.aws/',
      webhookUrl: undefined,
      groups: {
        payments: {
          tables: [{ name: 'p-journal', status: undefined, isProtected: false, hasOwnKey: false }],
          queues: [{ name: 'p-chains', counts: { waiting: 0, held: 0, dead: 4 } }],
          bucket: { name: 'p', isThere: false },
        },
      },
    }
    const { exit, out } = await bench.run(...statusArgs)
    expect(exit).toBe(0)
    expect(out.trimEnd().split('\n')).toEqual([
      'RESOURCE           STATUS',
      'antichain-journal  ACTIVE',
      'antichain-catalog  ACTIVE, not protected',
      'b                  exists',
      'p-journal          missing',
      'p                  missing',
      'API                https://x.lambda-url.eu-central-1.on.aws/',
      'Pulumi service     https://y.lambda-url.eu-central-1.on.aws/',
      'webhooks           missing',
      '',
      'QUEUE             WAITING  IN FLIGHT  DEAD',
      'antichain-chains  3        2          1',
      'antichain-nudges  missing',
      'p-chains          0        0          4',
    ])
    const json = JSON.parse((await bench.run(...statusArgs, '--json')).out) as InstallationStatus
    expect([json.queues, json.groups]).toEqual([inspected.queues, inspected.groups])
  })

  test('warns if it cannot find the groups of an older version', async () => {
    inspected = { ...completeInstallation, areGroupsUnknown: true }
    const { exit, err } = await bench.run(...statusArgs)
    expect([exit, err]).toEqual([0, expect.stringContaining('Allow sqs:ListQueues')])
    inspected = completeInstallation
    expect((await bench.run(...statusArgs)).err).not.toContain('ListQueues')
  })
})
