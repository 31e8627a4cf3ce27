import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dynamoLimits as limits } from '../../shared/config/dynamo-limits.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import { createDecisionLog } from '../../shared/platform/aws/dynamo/decision-log.ts'
import {
  toEpochMs,
  toExecutorId,
  createDeploymentId,
  createStackId,
  toLogNumber,
  toOperationId,
  toOwnerToken,
  toWriterToken,
} from '../contract/open-adapter.ts'
import { createDraw } from '../sim/draw.ts'
import { type Dynoxide, hasDynoxide, openDynoxide } from './dynoxide.ts'
import { type DynamoFaultKind, type DynamoFaultRule, createFaultyHandler } from './dynamo-faults.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const region = 'eu-test-1'
const firstId = toOperationId(1)
const beginRequest = {
  owner: toOwnerToken('o'),
  executor: toExecutorId('e'),
  expectedAttempt: 0,
  needs: 0,
}

if (hasDynoxide())
  describe('requests to DynamoDB that fail', () => {
    let dynoxide: Dynoxide
    const clients: DynamoDBClient[] = []
    beforeAll(async () => {
      dynoxide = await openDynoxide()
    })
    afterAll(async () => {
      for (const client of clients) client.destroy()
      await dynoxide.close()
    })

    /** Opens ports whose requests meet faults, and ports without faults (`quiet`) over the same tables. */
    const openFaulty = async (rules: readonly DynamoFaultRule[], inARowMax = 100) => {
      const names = createTableNames()
      const { endpoint } = dynoxide
      const quiet = createDynamoClient({ region, endpoint, credentials })
      const { handler, counters } = createFaultyHandler({ draw: createDraw(1), rules, inARowMax })
      const client = createDynamoClient({ region, endpoint, credentials, requestHandler: handler })
      clients.push(quiet, client)
      await createTables(quiet, names)
      return {
        ports: createTestRecords(client, names),
        quiet: createTestRecords(quiet, names),
        counts: counters,
        names,
      }
    }
    const failOnce = (kind: DynamoFaultKind, operation: string): readonly DynamoFaultRule[] => [
      { kind, chance: 1, times: 1, operations: [operation] },
    ]

    test.each(['lost', 'conflict', 'throttled', 'broken', 'slow'] as const)(
      'a begin, a give-back and a selection with a fault (%s) have the same results as without it',
      async kind => {
        const rule = { kind, chance: 1, operations: ['UpdateItem'] }
        const { ports, quiet, counts } = await openFaulty([rule], 1)
        const { operations } = ports
        const deployment = createDeploymentId()
        expect(await operations.begin(deployment, firstId, beginRequest)).toEqual({
          kind: 'begun',
          attempt: 1,
        })
        expect(await operations.giveBack(deployment, firstId, beginRequest.owner, 1)).toBe(true)
        const secondBegin = { ...beginRequest, expectedAttempt: 1 }
        expect(await operations.begin(deployment, firstId, secondBegin)).toEqual({
          kind: 'begun',
          attempt: 2,
        })
        const end = { owner: beginRequest.owner, attempt: 2, verdict: 'succeeded' } as const
        expect(await operations.select(deployment, firstId, end)).toBe(true)
        const head = (await quiet.operations.getHeads(deployment, [firstId])).get(firstId)
        expect(head).toMatchObject({ attempt: 2, givenBack: 1, end: { verdict: 'succeeded' } })
        expect(counts.faults.get(kind)).toBe(4)
      },
    )

    test('a record whose reply was lost is appended once, and a different record is refused', async () => {
      const { ports } = await openFaulty(failOnce('lost', 'PutItem'))
      const deployment = createDeploymentId()
      const record = { number: toLogNumber(0), at: toEpochMs(1), decisions: [] }
      const [ownRecord, otherRecord] = ['w', 'v'].map(name => ({
        ...record,
        writer: toWriterToken(name),
      }))
      if (ownRecord === undefined || otherRecord === undefined) throw new Error('there are two')
      expect(await ports.decisionLog.append(deployment, ownRecord)).toBe('already-appended')
      expect(await ports.decisionLog.append(deployment, otherRecord)).toBe('refused')
      expect(await ports.decisionLog.read(deployment, toLogNumber(0), 9)).toEqual([ownRecord])
    })

    test('a deployment whose start met a conflict and lost its reply is started once', async () => {
      const rules = [
        ...failOnce('conflict', 'TransactWriteItems'),
        ...failOnce('lost', 'TransactWriteItems'),
      ]
      const { ports, quiet, counts } = await openFaulty(rules)
      const stack = createStackId()
      // The creation is a transaction, too, and must not meet the faults.
      await quiet.catalog.createStack(stack, toEpochMs(1))
      const startInput = {
        command: 'up',
        message: '',
        at: toEpochMs(1),
      } as const
      expect(await ports.catalog.start(stack, startInput)).toMatchObject({ kind: 'started' })
      expect((await ports.catalog.getStack(stack))?.deployments).toBe(1)
      expect(counts.requests.get('TransactWriteItems')).toBe(3)
    })

    test('the unprocessed part of a batch is retried until it is processed', async () => {
      const { ports, counts } = await openFaulty([{ kind: 'unprocessed', chance: 1 }], 2)
      const deployment = createDeploymentId()
      const ids = Array.from({ length: 90 }, (_, index) => toOperationId(index + 1))
      await Promise.all(ids.map(id => ports.operations.begin(deployment, id, beginRequest)))
      expect((await ports.operations.getHeads(deployment, ids)).size).toBe(90)
      expect(counts.faults.get('unprocessed')).toBeGreaterThan(1)
    })

    test.each(['throttled', 'broken', 'lost'] as const)(
      'a store with a lasting fault (%s) is unavailable after a few attempts',
      async kind => {
        const { ports, counts } = await openFaulty([{ kind, chance: 1 }])
        const thrown = await ports.control.read(createDeploymentId()).catch((why: unknown) => why)
        expect(thrown).toMatchObject({ code: 'STORE_UNAVAILABLE', details: { region } })
        if (kind === 'throttled') expect(thrown).toMatchObject({ hint: /takes no more/ })
        expect(counts.requests.get('GetItem')).toBe(limits.transientAttemptsMax)
      },
    )

    test('the error of a missing table names it, after a single request', async () => {
      const { ports, counts } = await openFaulty([])
      const { endpoint } = dynoxide
      const { handler, counters } = createFaultyHandler({
        draw: createDraw(1),
        rules: [],
        inARowMax: 0,
      })
      const client = createDynamoClient({ region, endpoint, credentials, requestHandler: handler })
      clients.push(client)
      const missing = createTestRecords(client, createTableNames())
      const failedRead = missing.control.read(createDeploymentId())
      await expect(failedRead).rejects.toMatchObject({ code: 'STORE_MISSING', details: { region } })
      await expect(failedRead).rejects.toThrow(/journal in eu-test-1/)
      expect(counters.requests.get('GetItem')).toBe(1)
      expect(await ports.control.read(createDeploymentId())).toBeUndefined()
      expect(counts.requests.get('GetItem')).toBe(1)
    })

    test('a record that does not fit into an item is refused as too large', async () => {
      const { endpoint } = dynoxide
      const client = createDynamoClient({ region, endpoint, credentials })
      clients.push(client)
      const names = createTableNames()
      await createTables(client, names)
      const { clock } = createTestRecords(client, names)
      const random = { bytes: () => new Uint8Array(1) }
      const log = createDecisionLog({ client, clock, random, region, name: names.journal })
      const writer = toWriterToken('x'.repeat(410_000))
      const record = { number: toLogNumber(0), at: toEpochMs(1), decisions: [], writer }
      await expect(log.append(createDeploymentId(), record)).rejects.toMatchObject({
        code: 'RECORD_TOO_LARGE',
      })
    })
  })
