import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../infra/assets.ts'
import { functionsTable } from '../../infra/functions-table.ts'
import {
  awsVariables,
  longPoolServices,
  queueNames,
} from '../../shared/config/aws-resource-names.ts'
import { type Resource, type SynthesisedTemplates, synthesise } from './synthesise.ts'

const installation = synthesise()
const { data, main, resources } = installation
/** Functions that a chain of queues and calls can lead back to. */
const loopingFunctions = new Set(['schedule', 'step-generator', 'step-executor', 'compaction'])

/** Returns the names of functions with reserved concurrency, and their reservations. */
const listReservations = (templates: SynthesisedTemplates): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...templates.resources('AWS::Lambda::Function').values()].flatMap(({ Properties }) => {
      const { FunctionName, ReservedConcurrentExecutions: reserved } = Properties
      return reserved === undefined ? [] : [[String(FunctionName), reserved]]
    }),
  )

describe('tables', () => {
  test.each(['journal', 'catalog'])(
    '%s is on demand, warm, encrypted, protected, restorable and expires items',
    name => {
      data.hasResource('AWS::DynamoDB::GlobalTable', {
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          TableName: `antichain-${name}`,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
          TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
          WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000 },
          SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
          Replicas: [
            Match.objectLike({
              DeletionProtectionEnabled: true,
              PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            }),
          ],
        },
      })
    },
  )
})

describe('a data stack whose creation fails', () => {
  test('is removed by CloudFormation, because nothing is protected or retained yet', () => {
    const created = synthesise({ dataProtection: 'off' })
    const tables = [...created.resources('AWS::DynamoDB::GlobalTable').values()]
    const protections = tables.flatMap(({ Properties }) =>
      (Properties['Replicas'] as Record<string, unknown>[]).map(
        replica => replica['DeletionProtectionEnabled'],
      ),
    )
    expect(protections).toEqual([false, false])
    expect(created.isDataProtected).toBe(false)
    const { Resources } = created.data.toJSON() as { Resources: Record<string, Resource> }
    const policies = Object.values(Resources).map(({ DeletionPolicy }) => DeletionPolicy)
    expect(policies.filter(policy => policy === 'Retain')).toEqual([])
  })
})

describe('keys', () => {
  test('are two, rotated every year, and retained', () => {
    data.resourceCountIs('AWS::KMS::Key', 2)
    data.allResources('AWS::KMS::Key', {
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    })
  })
})

describe('the bucket', () => {
  test('keeps versions, is private, encrypted, accessible by TLS only, and retained', () => {
    data.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: {
        VersioningConfiguration: { Status: 'Enabled' },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [Match.objectLike({ BucketKeyEnabled: true })],
        },
      },
    })
    data.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    })
  })

  test('removes replaced versions after a while, and of current ones only packed programs', () => {
    const rules = [...resources('AWS::S3::Bucket').values()].flatMap(({ Properties }) => {
      const { Rules } = Properties['LifecycleConfiguration'] as { Rules: Record<string, unknown>[] }
      return Rules
    })
    expect(rules.map(({ Id }) => Id)).toEqual(['unfinished', 'replaced', 'markers', 'installs'])
    const expiring = rules.filter(rule => 'ExpirationInDays' in rule || 'ExpirationDate' in rule)
    // Only packed programs of the installer expire. The generator has stored them elsewhere.
    expect(expiring).toMatchObject([{ Id: 'installs', Prefix: 'installs/' }])
  })
})

describe('queues', () => {
  test.each(queueNames)(
    '%s moves a message to a dead-letter queue after its last delivery',
    name => {
      const maxReceiveCount = name === 'notifications' ? 8 : 5
      main.hasResourceProperties('AWS::SQS::Queue', {
        QueueName: `antichain-${name}`,
        SqsManagedSseEnabled: true,
        RedrivePolicy: { maxReceiveCount, deadLetterTargetArn: Match.anyValue() },
      })
      main.hasResourceProperties('AWS::SQS::Queue', {
        QueueName: `antichain-${name}-dead`,
        MessageRetentionPeriod: 1_209_600,
      })
    },
  )

  test('are standard queues', () => {
    const fifo = [...resources('AWS::SQS::Queue').values()].filter(
      ({ Properties }) => Properties['FifoQueue'] !== undefined,
    )
    expect(fifo).toEqual([])
  })

  test('hide a message for longer than the time limit of its function', () => {
    for (const { consumes, timeoutSeconds } of functionsTable)
      if (consumes !== undefined) {
        const queue = [...resources('AWS::SQS::Queue').values()].find(
          ({ Properties }) => Properties['QueueName'] === `antichain-${consumes.queue}`,
        )
        expect(queue?.Properties['VisibilityTimeout']).toBeGreaterThan(timeoutSeconds)
      }
  })
})

describe('functions', () => {
  test.each(functionsTable.map(row => [row.name, row] as const))(
    '%s matches its row',
    (name, row) => {
      main.hasResourceProperties('AWS::Lambda::Function', {
        FunctionName: `antichain-${name}`,
        Architectures: ['arm64'],
        Timeout: row.timeoutSeconds,
        Environment: {
          Variables: Object.fromEntries(
            [...row.variables].map(variable => [
              awsVariables[variable],
              // An installation without groups has no variables of groups.
              /^group(s|Keys)$/.test(variable) ? Match.absent() : Match.anyValue(),
            ]),
          ),
        },
        RecursiveLoop: loopingFunctions.has(name) ? 'Allow' : 'Terminate',
        ...(row.packaging === 'image'
          ? {
              PackageType: 'Image',
              ImageConfig: { Command: [`${name}/main.handler`] },
            }
          : { Runtime: 'nodejs24.x', Handler: 'main.handler' }),
      })
    },
  )

  test('only the installer isolates tenants, so that no environment serves two installations', () => {
    const isolating = [...resources('AWS::Lambda::Function').values()].filter(
      ({ Properties }) => 'TenancyConfig' in Properties,
    )
    expect(isolating.map(({ Properties }) => Properties)).toMatchObject([
      {
        FunctionName: 'antichain-installer',
        TenancyConfig: { TenantIsolationMode: 'PER_TENANT' },
      },
    ])
    // The function gets no name of a table, bucket, queue or key.
    const [{ Environment } = {}] = isolating.map(({ Properties }) => Properties)
    expect(Environment).toEqual({ Variables: { HOME: '/tmp' } })
  })

  test('every function and task has its home folder in the scratch space', () => {
    const functionHomes = [...resources('AWS::Lambda::Function').values()].map(
      ({ Properties }) =>
        (Properties['Environment'] as { Variables: Record<string, unknown> }).Variables['HOME'],
    )
    expect(functionHomes).toEqual(functionsTable.map(() => '/tmp'))
    main.allResourcesProperties('AWS::ECS::TaskDefinition', {
      ContainerDefinitions: [
        Match.objectLike({ Environment: Match.arrayWith([{ Name: 'HOME', Value: '/tmp' }]) }),
      ],
    })
  })

  test('the default memory fits into an account with the initial limit of 3,008 MB', () => {
    const sizes = [...resources('AWS::Lambda::Function').values()].map(
      ({ Properties }) => Properties['MemorySize'] as number,
    )
    expect(sizes).toHaveLength(functionsTable.length)
    expect(Math.max(...sizes)).toBe(3_008)
  })

  test('none has reserved concurrency in an unknown account, because small ones refuse it', () => {
    expect(listReservations(installation)).toEqual({})
  })

  test('functions with a public address have reserved concurrency by settings or account, and no other', () => {
    const concurrency = { apiConcurrency: '40', serviceConcurrency: '30', webhookConcurrency: '20' }
    expect(listReservations(synthesise(concurrency))).toEqual({
      'antichain-api': 40,
      'antichain-service': 30,
      'antichain-webhook': 20,
    })
    const byAccount = synthesise({ availableConcurrency: '1000' })
    expect(listReservations(byAccount)).toEqual({
      'antichain-api': 100,
      'antichain-service': 50,
      'antichain-webhook': 20,
    })
  })

  test('streams use at most half of the concurrent calls of the API', () => {
    main.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'antichain-api',
      Environment: { Variables: Match.objectLike({ ANTICHAIN_STREAMS_MAX: '50' }) },
    })
  })

  test('none with an event source has reserved concurrency: each throttle would count as a delivery', () => {
    const rows = functionsTable.filter(row => row.consumes !== undefined)
    expect(rows.filter(row => row.reservedConcurrency !== undefined)).toEqual([])
  })

  test('event sources have a maximum concurrency and report single failures', () => {
    const sources = resources('AWS::Lambda::EventSourceMapping')
    expect(sources.size).toBe(3)
    main.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: Match.anyValue() },
    })
  })

  test('executors and generators have large scratch space', () => {
    for (const name of ['step-generator', 'step-executor'])
      main.hasResourceProperties('AWS::Lambda::Function', {
        FunctionName: `antichain-${name}`,
        EphemeralStorage: { Size: 8_192 },
      })
  })

  test('no variable contains a secret: all are names and addresses', () => {
    const allowedVariables = new Set<string>([...Object.values(awsVariables), 'HOME'])
    const variables = [...resources('AWS::Lambda::Function').values()].flatMap(({ Properties }) =>
      Object.keys((Properties['Environment'] as { Variables: object }).Variables),
    )
    expect(variables.filter(name => !allowedVariables.has(name))).toEqual([])
  })

  test('logs expire after the days of the settings', () => {
    main.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 })
  })
})

describe('addresses', () => {
  test('webhook requests are throttled before a function runs', () => {
    main.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingBurstLimit: 40, ThrottlingRateLimit: 20 },
      AccessLogSettings: Match.anyValue(),
    })
    main.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: 'POST /hooks/{hook}' })
  })

  test('the API and the service stream their responses', () => {
    main.resourceCountIs('AWS::Lambda::Url', 2)
    main.allResourcesProperties('AWS::Lambda::Url', { InvokeMode: 'RESPONSE_STREAM' })
  })

  test('access logs contain neither headers nor bodies', () => {
    const stage = [...resources('AWS::ApiGatewayV2::Stage').values()][0]
    expect(JSON.stringify(stage?.Properties['AccessLogSettings'])).not.toMatch(/header|body|path/i)
  })
})

describe('the long pool', () => {
  test('has no gateway, no alarm, and no number of tasks in the template', () => {
    // A template with a number would stop the tasks of a busy service at every upgrade.
    main.allResourcesProperties('AWS::ECS::Service', { DesiredCount: Match.absent() })
    main.resourceCountIs('AWS::EC2::NatGateway', 0)
    const alarms = [...resources('AWS::CloudWatch::Alarm').keys()]
    expect(alarms.filter(name => name.startsWith('LongPool'))).toEqual([])
    expect([...resources('AWS::ApplicationAutoScaling::ScalableTarget').keys()]).toEqual([])
  })

  test('has services with the names by which the scaler finds them', () => {
    const services = [...resources('AWS::ECS::Service').values()]
    const names = services.map(({ Properties }) => String(Properties['ServiceName']))
    expect(names.toSorted()).toEqual(Object.values(longPoolServices).toSorted())
    main.hasResourceProperties('AWS::ECS::Cluster', { ClusterName: 'antichain' })
    for (const { name, longQueue } of functionsTable)
      if (longQueue !== undefined) expect(longPoolServices[longQueue]).toBe(`long-${name}`)
  })

  test('is checked every hour, in case no process could call the scaler', () => {
    main.hasResourceProperties('AWS::Scheduler::Schedule', {
      Name: 'antichain-scale',
      ScheduleExpression: 'rate(1 hour)',
      Target: Match.objectLike({ Input: '{"kind":"check"}' }),
    })
  })

  test('gives its tasks the tags of the installation, by which bills show their cost', () => {
    main.allResourcesProperties('AWS::ECS::Service', {
      PropagateTags: 'SERVICE',
      Tags: Match.arrayWith([
        { Key: 'antichain:installation', Value: 'antichain' },
        { Key: 'antichain:part', Value: 'LongPool' },
      ]),
    })
  })

  test('accepts no incoming connections', () => {
    const groups = [...resources('AWS::EC2::SecurityGroup').values()]
    expect(groups.map(({ Properties }) => Properties['SecurityGroupIngress'])).toEqual([undefined])
    main.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0)
  })

  test('runs the bundled long entries as an unprivileged user', () => {
    for (const name of ['step-generator', 'step-executor'])
      main.hasResourceProperties('AWS::ECS::TaskDefinition', {
        Family: `antichain-long-${name}`,
        ContainerDefinitions: [
          Match.objectLike({ Command: [`/var/task/${name}/long.mjs`], User: '1000' }),
        ],
      })
  })
})

describe('observability', () => {
  test('alarms can publish to their topic', () => {
    const policies = [...resources('AWS::SNS::TopicPolicy').values()]
    const statements = policies.flatMap(
      ({ Properties }) =>
        (Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement,
    )
    expect(statements.map(({ Effect, Action, Principal }) => [Effect, Action, Principal])).toEqual([
      ['Deny', 'sns:Publish', '*'],
      ['Allow', 'sns:Publish', { Service: 'cloudwatch.amazonaws.com' }],
    ])
    expect(statements[1]?.['Condition']).toEqual({
      StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
    })
  })

  test('alarms report dead letters, stuck deployments, compaction lag and throttles', () => {
    expect(listAlarmNames().toSorted()).toEqual([
      'antichain-compaction-lag',
      'antichain-dead-chains',
      'antichain-dead-chains-long',
      'antichain-dead-notifications',
      'antichain-dead-nudges',
      'antichain-dead-nudges-long',
      'antichain-function-errors',
      'antichain-function-throttles',
      'antichain-recursion-dropped',
      'antichain-stuck-deployments',
      'antichain-table-throttles',
      'antichain-tidying-errors',
    ])
  })

  test('a dashboard exists', () => {
    main.resourceCountIs('AWS::CloudWatch::Dashboard', 1)
  })
})

test('with the settings of the lowest cost, AWS encrypts the data, and one alarm remains', () => {
  const lean = synthesise({ dataKey: 'aws', alarms: 'one', dashboard: 'off' })
  expect([...lean.resources('AWS::KMS::Key').keys()]).toEqual([
    expect.stringContaining('SecretsKey'),
  ])
  const [bucket] = lean.resources('AWS::S3::Bucket').values()
  expect(JSON.stringify(bucket?.Properties['BucketEncryption'])).toContain('"AES256"')
  const actions = lean
    .listAllowStatements('step-generator')
    .flatMap(({ conditions }) => Object.keys(conditions['StringEquals'] ?? {}))
  expect(actions).not.toContain('kms:ViaService')
  const alarms = [...lean.resources('AWS::CloudWatch::Alarm').values()].flatMap(
    ({ Properties }) => Properties['AlarmName'] ?? [],
  )
  expect(alarms).toEqual(['antichain-problems'])
  // The alarm does not show failed calls of compaction, so Lambda reports them.
  expect(listFailureReporters(lean)).toEqual(['antichain-compaction', 'antichain-scaler'])
})

test('a failed call of the scaler notifies the topic of alarms, because no process waits for the call', () => {
  expect(listFailureReporters(installation)).toEqual(['antichain-scaler'])
  const publishing = installation
    .listAllowStatements('scaler')
    .filter(({ actions }) => actions.includes('sns:Publish'))
  expect(publishing.flatMap(statement => statement.resources)).toEqual([
    expect.stringContaining('ObservabilityAlarms'),
  ])
})

/** Returns the names of the functions whose failed asynchronous calls notify a topic. */
function listFailureReporters(templates: SynthesisedTemplates): readonly string[] {
  const configurations = templates.resources('AWS::Lambda::EventInvokeConfig').values()
  return [...configurations]
    .map(({ Properties }) => {
      const { DestinationConfig, FunctionName } = Properties
      expect(JSON.stringify(DestinationConfig)).toMatch(/OnFailure.*ObservabilityAlarms/)
      const id = (FunctionName as { readonly Ref: string }).Ref
      const named = templates.resources('AWS::Lambda::Function').get(id)
      return String(named?.Properties['FunctionName'])
    })
    .toSorted()
}

test('an existing key encrypts secrets, and no key is created for them', () => {
  const secretsKey = 'arn:aws:kms:eu-central-1:111122223333:key/0a'
  const { resources: resourcesOf, listAllowStatements: statementsOf } = synthesise({ secretsKey })
  expect([...resourcesOf('AWS::KMS::Key').keys()]).toEqual([expect.stringContaining('DataKey')])
  const aliases = [...resourcesOf('AWS::KMS::Alias').values()].map(({ Properties }) => [
    Properties['AliasName'],
    Properties['TargetKeyId'],
  ])
  expect(aliases).toContainEqual(['alias/antichain-secrets', secretsKey])
  const opening = statementsOf('step-generator').filter(({ resources: arns }) =>
    arns.includes(secretsKey),
  )
  expect(opening.map(({ actions }) => actions)).toContainEqual(['kms:Decrypt'])
  for (const { conditions } of opening)
    expect(JSON.stringify(conditions)).toContain('kms:EncryptionContext:')
})

test('every alarm is listed in docs/aws.md', () => {
  const page = readFileSync(join(projectRoot, 'docs', 'aws.md'), 'utf8')
  const alarmRows = listAlarmNames().map(name =>
    name.replace(/^antichain-/, '').replace(/^dead-.*/, 'dead-<queue>'),
  )
  expect(alarmRows.filter(name => !page.includes(`| \`${name}\` |`))).toEqual([])
})

test('the data stack is protected from deletion', () => {
  expect(installation.isDataProtected).toBe(true)
  expect([...resources('AWS::DynamoDB::GlobalTable').values()]).toHaveLength(2)
  expect(data.findResources('AWS::Lambda::Function')).toEqual({})
})

test('the template has the recorded types and logical names', () => {
  const shape = [data, main].map(template =>
    Object.entries((template.toJSON() as { Resources: Record<string, { Type: string }> }).Resources)
      .map(([name, { Type }]) => `${Type} ${name}`)
      .toSorted(),
  )
  expect(shape).toMatchSnapshot()
})

/** Returns the names of the alarms. */
function listAlarmNames(): readonly string[] {
  return [...resources('AWS::CloudWatch::Alarm').values()].flatMap(({ Properties }) => {
    const { AlarmName } = Properties
    return typeof AlarmName === 'string' ? [AlarmName] : []
  })
}
