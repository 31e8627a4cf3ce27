import { describe, expect, test } from 'vitest'
import { functionsTable } from '../../infra/functions-table.ts'
import { listActionsOn, synthesise } from './synthesise.ts'

const { listAllowStatements: statements, resources, main } = synthesise()
/** The names of all functions, and of the tasks of the long pool. */
const processNames = functionsTable.flatMap(({ name, longEntry }) =>
  longEntry === undefined ? [name] : [name, `long-${name}`],
)
const actionsOf = (processName: string): readonly string[] =>
  statements(processName).flatMap(({ actions }) => actions)
const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query']
const catalogWrites = /^dynamodb:(Put|Update|Delete|BatchWrite|Transact|PartiQL)/

describe('a webhook', () => {
  test('reads no state: neither the journal nor the bucket', () => {
    expect(listActionsOn(statements('webhook'), 'DataJournal')).toEqual([])
    expect(actionsOf('webhook').filter(action => action.startsWith('s3:'))).toEqual([])
  })

  test('opens secrets of triggers only', () => {
    const uses = statements('webhook').filter(({ resources }) =>
      resources.join().includes('SecretsKey'),
    )
    expect(uses).toHaveLength(1)
    expect(uses[0]?.conditions).toEqual({
      StringEquals: { 'kms:EncryptionContext:antichain-purpose': 'trigger' },
    })
  })

  test('sends nudges and nothing else', () => {
    const sends = statements('webhook').filter(({ actions }) => actions.includes('sqs:SendMessage'))
    expect(sends.flatMap(each => each.resources)).toEqual([expect.stringContaining('QueuesNudges')])
    expect(actionsOf('webhook').filter(action => action.startsWith('sqs:'))).toHaveLength(1)
  })
})

describe('the catalog', () => {
  test.each(['webhook', 'schedule'])(
    '%s can change neither tokens nor the audit log',
    processName => {
      const uses = statements(processName).filter(({ resources: arns }) =>
        arns.join().includes('DataCatalog'),
      )
      expect(uses).toHaveLength(2)
      for (const { conditions } of uses) {
        const { 'ForAllValues:StringLike': patterns, Null: absence } = conditions as Record<
          string,
          Record<string, unknown>
        >
        const keys = patterns?.['dynamodb:LeadingKeys'] as readonly string[]
        expect(keys.length).toBeGreaterThan(0)
        expect(
          keys.filter(key => /^(?:documents )?(?:federation|token|\*)|^audit/.test(key)),
        ).toEqual([])
        // Without this condition a request without keys would be allowed.
        expect(absence).toEqual({ 'dynamodb:LeadingKeys': 'false' })
      }
    },
  )
})

describe('an executor', () => {
  test.each(['step-executor', 'long-step-executor'])('%s cannot write the catalog', processName => {
    const actions = listActionsOn(statements(processName), 'DataCatalog')
    expect(actions.filter(action => catalogWrites.test(action))).toEqual([])
    expect(actions).toEqual(reads)
  })

  test('removes no record of the journal', () => {
    // A batch can remove items without the permission of DeleteItem.
    for (const action of ['dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'])
      expect(actionsOf('step-executor')).not.toContain(action)
  })

  test('removes no object', () => {
    expect(actionsOf('step-executor').filter(action => action.startsWith('s3:Delete'))).toEqual([])
  })

  test.each(['step-executor', 'long-step-executor', 'step-generator', 'long-step-generator'])(
    'and a generator open no data key without a stack: %s',
    processName => {
      const uses = statements(processName).filter(
        ({ resources: arns, conditions }) =>
          arns.join().includes('SecretsKey') && !('StringEquals' in conditions),
      )
      expect(uses.map(({ conditions }) => conditions)).toEqual([
        { Null: { 'kms:EncryptionContext:antichain-stack': 'false' } },
      ])
    },
  )

  test('opens no secret of a trigger', () => {
    const uses = statements('step-executor').filter(each =>
      each.resources.join().includes('SecretsKey'),
    )
    // The context of a trigger's secret has no stack, and KMS opens it with its own context only.
    expect(uses.map(({ conditions }) => conditions)).toEqual([
      { Null: { 'kms:EncryptionContext:antichain-stack': 'false' } },
      { StringEquals: { 'kms:EncryptionContext:antichain-purpose': 'service' } },
    ])
  })
})

describe("the service for Pulumi's command line", () => {
  test('creates and opens data keys of its own purpose, and opens no other secret', () => {
    const uses = statements('service').filter(({ resources: arns }) =>
      arns.join().includes('SecretsKey'),
    )
    expect(uses).toMatchObject([
      {
        actions: ['kms:Decrypt', 'kms:Encrypt'],
        conditions: { StringEquals: { 'kms:EncryptionContext:antichain-purpose': 'service' } },
      },
    ])
    expect(uses).toHaveLength(1)
  })

  test('writes neither tokens nor federation rules nor webhooks', () => {
    const uses = statements('service').filter(({ resources: arns }) =>
      arns.join().includes('DataCatalog'),
    )
    const changes = uses.filter(({ actions }) => actions.some(action => catalogWrites.test(action)))
    expect(changes).toHaveLength(2)
    const keys = changes.flatMap(({ conditions }) => {
      const { 'ForAllValues:StringLike': patterns } = conditions as Record<
        string,
        Record<string, readonly string[]>
      >
      return patterns?.['dynamodb:LeadingKeys'] ?? []
    })
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.filter(key => /^documents (?:federation|token|webhook|\*)/.test(key))).toEqual([])
  })

  test('removes no record of the journal, and writes no operation', () => {
    const uses = statements('service').filter(({ resources: arns }) =>
      arns.join().includes('DataJournal'),
    )
    const actions = uses.flatMap(statement => statement.actions)
    expect(actions.filter(action => /Delete|BatchWrite/.test(action))).toEqual([])
    const writes = uses.filter(statement => statement.actions.includes('dynamodb:PutItem'))
    expect(writes.map(({ conditions }) => conditions['ForAllValues:StringLike'])).toEqual([
      { 'dynamodb:LeadingKeys': ['control *', 'log *', 'events *', 'writers *'] },
    ])
  })

  test('creates objects without overwriting any, and removes none', () => {
    const puts = statements('service').filter(({ actions }) => actions.includes('s3:PutObject'))
    expect(puts.map(({ conditions }) => conditions)).toEqual([
      { Null: { 's3:if-none-match': 'false' } },
    ])
    expect(actionsOf('service').filter(action => action.startsWith('s3:Delete'))).toEqual([])
  })
})

describe('deployment credentials', () => {
  const deployers = ['step-generator', 'long-step-generator', 'step-executor', 'long-step-executor']

  test.each(processNames)('%s assumes roles of stacks only if it deploys', processName => {
    const allowedActions = statements(processName).filter(({ actions }) =>
      actions.some(action => action.startsWith('sts:')),
    )
    if (!deployers.includes(processName)) return expect(allowedActions).toEqual([])
    expect(allowedActions).toEqual([
      {
        actions: ['sts:AssumeRole'],
        resources: ['arn:aws:iam::*:role/antichain-deploy-*'],
        conditions: { StringLike: { 'sts:ExternalId': 'antichain/*' } },
      },
    ])
  })

  test('are limited to the roles in the settings', () => {
    const named = 'arn:aws:iam::111122223333:role/site'
    const other = synthesise({ deploymentRoles: `${named}, arn:aws:iam::111122223333:role/x-*` })
    const allowedActions = other
      .listAllowStatements('step-executor')
      .find(({ actions }) => actions.includes('sts:AssumeRole'))
    expect(allowedActions?.resources).toEqual([named, 'arn:aws:iam::111122223333:role/x-*'])
  })

  test('are in no managed policy, because no role has one', () => {
    const managed = [...resources('AWS::IAM::Role').values()].flatMap(
      ({ Properties }) => Properties['ManagedPolicyArns'] ?? [],
    )
    expect(managed).toEqual([])
  })
})

describe('every role', () => {
  test.each(processNames)('%s has no action pattern and no resource wildcard', processName => {
    for (const { actions, resources: resourceTexts } of statements(processName)) {
      expect(actions.filter(action => action.includes('*'))).toEqual([])
      expect(resourceTexts.filter(resource => resource === '*')).toEqual([])
    }
  })

  test.each(processNames)('%s scans and manages no table', processName => {
    const allowed =
      /^dynamodb:(GetItem|BatchGetItem|Query|ConditionCheckItem|PutItem|UpdateItem|BatchWriteItem|DeleteItem)$/
    const odd = actionsOf(processName).filter(
      action => action.startsWith('dynamodb:') && !allowed.test(action),
    )
    expect(odd).toEqual([])
  })

  test.each(processNames)(
    '%s uses the encryption key only through tables and bucket',
    processName => {
      const uses = statements(processName).filter(({ resources: resourceTexts }) =>
        resourceTexts.join().includes('EncryptionDataKey'),
      )
      if (['installer', 'scaler'].includes(processName)) return expect(uses).toEqual([])
      expect(uses).toHaveLength(1)
      expect(Object.keys(uses[0]?.conditions ?? {})).toEqual(['StringEquals'])
      expect(uses[0]?.conditions['StringEquals']).toHaveProperty('kms:ViaService')
    },
  )

  test.each(processNames)(
    '%s creates no role, and passes none, but API and service pass that of schedules',
    processName => {
      const iam = statements(processName).filter(({ actions }) =>
        actions.some(action => action.startsWith('iam:')),
      )
      if (!['api', 'service'].includes(processName)) return expect(iam).toEqual([])
      expect(iam.map(({ actions, conditions }) => ({ actions, conditions }))).toEqual([
        {
          actions: ['iam:PassRole'],
          conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
        },
      ])
    },
  )

  test('the API seals secrets of triggers and opens none', () => {
    expect(listActionsOn(statements('api'), 'SecretsKey')).toEqual(['kms:Encrypt'])
  })

  test('the API creates objects without overwriting any, and removes none', () => {
    const puts = statements('api').filter(({ actions }) => actions.includes('s3:PutObject'))
    expect(puts.map(({ conditions }) => conditions)).toEqual([
      { Null: { 's3:if-none-match': 'false' } },
    ])
    expect(actionsOf('api').filter(action => action.startsWith('s3:Delete'))).toEqual([])
  })

  test.each(processNames)(
    '%s creates no schedule, except for API and service; the schedule function removes some',
    processName => {
      const allowedActions = actionsOf(processName).filter(action =>
        action.startsWith('scheduler:'),
      )
      const all = ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule']
      const isCreating = ['api', 'service'].includes(processName)
      expect(allowedActions).toEqual(
        isCreating ? all : processName === 'schedule' ? all.slice(1) : [],
      )
      const scheduled = statements(processName)
        .filter(({ actions }) => actions.some(action => action.startsWith('scheduler:')))
        .flatMap(statement => statement.resources)
      for (const resource of scheduled) expect(resource).toMatch(/:schedule\/antichain[^/]*\//)
    },
  )

  test('compaction and schedules have no key of stacks', () => {
    expect(listActionsOn(statements('compaction'), 'SecretsKey')).toEqual([])
    expect(listActionsOn(statements('schedule'), 'SecretsKey')).toEqual(['kms:Decrypt'])
  })
})

test.each(['step-generator', 'long-step-generator'])(
  '%s stores plugins without replacing any',
  processName => {
    const puts = statements(processName).filter(
      ({ actions, resources: arns }) =>
        actions.includes('s3:PutObject') && arns.join().includes('/plugins/*'),
    )
    expect(puts.map(({ conditions }) => conditions)).toEqual([
      { Null: { 's3:if-none-match': 'false' } },
    ])
    const others = statements('step-executor').filter(statement =>
      statement.actions.includes('s3:PutObject'),
    )
    expect(others.flatMap(statement => statement.resources).join()).not.toContain('/plugins/')
  },
)

describe('the installer', () => {
  test('writes its log, and has no other permission', () => {
    expect(statements('installer')).toMatchObject([
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'] },
    ])
    const [logStatement] = statements('installer')
    expect(logStatement?.resources).toEqual([expect.stringContaining('InstallerLogs')])
  })

  test.each(['step-generator', 'long-step-generator'])(
    'uploads with the permission of %s, which creates its objects without overwriting any',
    processName => {
      const uses = statements(processName).filter(({ resources: arns }) =>
        arns.join().includes('/installs/*'),
      )
      const puts = uses.filter(({ actions }) => actions.includes('s3:PutObject'))
      expect(puts.map(({ conditions }) => conditions)).toEqual([
        { Null: { 's3:if-none-match': 'false' } },
      ])
      expect(uses.flatMap(({ actions }) => actions).toSorted()).toEqual([
        's3:GetObject',
        's3:PutObject',
      ])
      for (const other of ['api', 'service', 'step-executor', 'compaction', 'webhook', 'schedule'])
        expect(
          statements(other)
            .flatMap(each => each.resources)
            .join(),
        ).not.toContain('/installs/')
    },
  )
})

describe('the scaler', () => {
  test('counts the messages of the long pool, and sets the number of its tasks, and nothing else', () => {
    const uses = statements('scaler').filter(
      ({ actions }) => !actions.some(action => /^(logs|sns):/.test(action)),
    )
    expect(uses).toEqual([
      {
        actions: ['sqs:GetQueueAttributes'],
        resources: [
          expect.stringMatching(/QueuesChainsLong[0-9A-F]{8}/),
          expect.stringMatching(/QueuesNudgesLong[0-9A-F]{8}/),
        ],
        conditions: {},
      },
      {
        actions: ['ecs:DescribeServices', 'ecs:UpdateService'],
        resources: [
          expect.stringContaining(':service/antichain/long-step-executor'),
          expect.stringContaining(':service/antichain/long-step-generator'),
        ],
        conditions: {},
      },
    ])
  })
})

test('only generators, executors, the service and the API invoke functions, each those of its row', () => {
  const findInvocations = (processName: string) =>
    statements(processName).filter(({ actions }) => actions.includes('lambda:InvokeFunction'))
  for (const processName of ['step-generator', 'long-step-generator']) {
    const called = findInvocations(processName).flatMap(statement => statement.resources)
    expect(called).toEqual([
      expect.stringMatching(/:function:antichain-compaction"\]\]\}$/),
      expect.stringMatching(/:function:antichain-installer"\]\]\}$/),
      expect.stringMatching(/:function:antichain-scaler"\]\]\}$/),
    ])
  }
  for (const processName of ['api', 'step-executor', 'long-step-executor'])
    expect(findInvocations(processName).flatMap(statement => statement.resources)).toEqual([
      expect.stringMatching(/:function:antichain-scaler"\]\]\}$/),
    ])
  expect(findInvocations('service').flatMap(statement => statement.resources)).toEqual([
    expect.stringMatching(/:function:antichain-api"\]\]\}$/),
    expect.stringMatching(/:function:antichain-compaction"\]\]\}$/),
  ])
  for (const processName of ['webhook', 'schedule', 'installer', 'compaction', 'scaler'])
    expect(findInvocations(processName)).toEqual([])
})

test('only the scheduler, for the group of this installation, may use the role of schedules', () => {
  main.hasResourceProperties('AWS::IAM::Role', {
    RoleName: 'antichain-schedules-eu-central-1',
    AssumeRolePolicyDocument: {
      Statement: [
        {
          Principal: { Service: 'scheduler.amazonaws.com' },
          Condition: {
            StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' }, 'aws:SourceArn': {} },
          },
        },
      ],
    },
  })
})
