/**
 * Compares the DynamoDB units that the emulator reports with those of AWS's rules, request by
 * request. The table of costs in docs/aws.md contains these units.
 */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { startCountingProxy } from './counting-proxy.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import type { BilledRequest } from '../sim/model-capacity.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { hasDynoxide, openDynoxide } from './dynoxide.ts'
import { createTables, createTableNames } from './test-records.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const { journal: TableName, ...otherTableNames } = createTableNames()
const key = (sk: string) => ({ pk: { S: 'a deployment' }, sk: { S: sk } })
const item = (sk: string, bytes: number) => ({ ...key(sk), data: { S: 'x'.repeat(bytes) } })
const isAbsent = 'attribute_not_exists(pk)'
const returnOldItem = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

const replaceData = (sk: string, bytes: number, more: object = {}) =>
  new UpdateItemCommand({
    TableName,
    Key: key(sk),
    UpdateExpression: 'SET #d = :d',
    ExpressionAttributeNames: { '#d': 'data' },
    ExpressionAttributeValues: { ':d': { S: 'x'.repeat(bytes) } },
    ...more,
  })

/** Requests as the adapters send them. Each one finds the items of those before it. */
const requests: Readonly<Record<string, () => { readonly input: object }>> = {
  'a small put': () => new PutItemCommand({ TableName, Item: item('1', 100) }),
  'a large put': () => new PutItemCommand({ TableName, Item: item('2', 5_000) }),
  'a put over a larger one': () => new PutItemCommand({ TableName, Item: item('2', 2_100) }),
  'a put that is refused': () =>
    new PutItemCommand({
      TableName,
      Item: item('2', 9_000),
      ConditionExpression: isAbsent,
      ...returnOldItem,
    }),
  'an update that creates an item': () => replaceData('3', 10),
  'an update of a large item': () => replaceData('2', 2_200),
  'an update that shrinks': () => replaceData('2', 10),
  'an update that grows': () => replaceData('2', 7_000),
  'an update that is refused': () =>
    replaceData('2', 1, { ConditionExpression: isAbsent, ...returnOldItem }),
  'a strong read': () => new GetItemCommand({ TableName, Key: key('2'), ConsistentRead: true }),
  'a weak read': () => new GetItemCommand({ TableName, Key: key('2') }),
  'a read of nothing': () =>
    new GetItemCommand({ TableName, Key: key('none'), ConsistentRead: true }),
  'a read of many': () =>
    new BatchGetItemCommand({
      RequestItems: {
        [TableName]: { Keys: ['1', '2', '3', 'none'].map(key), ConsistentRead: true },
      },
    }),
  'a query': () =>
    new QueryCommand({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: '#p = :pk',
      ExpressionAttributeNames: { '#p': 'pk' },
      ExpressionAttributeValues: { ':pk': { S: 'a deployment' } },
    }),
  'a batch of writes': () =>
    new BatchWriteItemCommand({
      RequestItems: {
        [TableName]: [1, 2_000].map((bytes, index) => ({
          PutRequest: { Item: item(`batch ${index}`, bytes) },
        })),
      },
    }),
  'a transaction': () =>
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: item('4', 10) } },
        { Put: { TableName, Item: item('5', 1_500) } },
      ],
    }),
  'a transaction that is refused': () =>
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: item('6', 10) } },
        {
          Put: { TableName, Item: item('5', 10), ConditionExpression: isAbsent, ...returnOldItem },
        },
      ],
    }),
  'a removal': () => new DeleteItemCommand({ TableName, Key: key('2') }),
  'a removal of nothing': () => new DeleteItemCommand({ TableName, Key: key('none') }),
}

async function compare(): Promise<void> {
  const { endpoint, close } = await openDynoxide()
  const proxy = await startCountingProxy({ region: 'eu-test-1', endpoints: { DYNAMODB: endpoint } })
  const proxyEndpoint = proxy.settings.endpoints.DYNAMODB ?? ''
  const client = createDynamoClient({ region: 'eu-test-1', endpoint: proxyEndpoint, credentials })
  const billedRequests: BilledRequest[] = []
  const model = createModelDynamo(request => void billedRequests.push(request))
  const names = { journal: TableName, ...otherTableNames }
  await createTables(client, names)
  await createTables(model.client, names)
  const measuredUnits: Record<string, unknown> = {}
  const expected: Record<string, unknown> = {}
  for (const [name, request] of Object.entries(requests)) {
    proxy.takeCounts()
    billedRequests.length = 0
    await client.send(request() as never).catch(() => undefined)
    await Promise.resolve(model.client.send(request() as never)).catch(() => undefined)
    const { readUnits, writeUnits, reads, writes } = proxy.takeCounts()
    measuredUnits[name] = { readUnits, writeUnits, requests: reads + writes }
    const [billed] = billedRequests
    expected[name] = {
      readUnits: billed?.readUnits,
      writeUnits: billed?.writeUnits,
      requests: billedRequests.length,
    }
  }
  client.destroy()
  await proxy.close()
  await close()
  expect(measuredUnits).toEqual(expected)
}

if (hasDynoxide()) test('the emulator reports the same units as the rules of AWS', compare)
