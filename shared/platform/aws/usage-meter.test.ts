import { expect, test } from 'vitest'
import { countRefusedUnits, countUnits } from './dynamo/table/count-capacity.ts'
import { countBilledRequest } from './usage-meter.ts'

type Request = Parameters<typeof countBilledRequest>[1]

const request = { method: 'POST', query: {}, headers: {}, body: '' } as Request

const countS3 = (method: string, statusCode = 200, query: Request['query'] = {}) =>
  countBilledRequest('S3', { ...request, method, query }, { statusCode, headers: {} })

const countSqs = (operation: string, body: string, statusCode = 200) =>
  countBilledRequest(
    'SQS',
    { ...request, headers: { 'x-amz-target': `AmazonSQS.${operation}` }, body },
    { statusCode, headers: {} },
  )

test('S3 requests are counted by their class, but not deletes and server errors', () => {
  expect([countS3('PUT'), countS3('PUT', 412), countS3('GET', 200, { 'list-type': '2' })]).toEqual(
    Array(3).fill({ puts: 1 }),
  )
  expect([countS3('GET'), countS3('HEAD', 404)]).toEqual(Array(2).fill({ gets: 1 }))
  expect([countS3('DELETE'), countS3('PUT', 503)]).toEqual([{}, {}])
})

test('SQS requests are counted per 64 KB, without errors and without receives', () => {
  expect(countSqs('SendMessage', 'x')).toEqual({ messages: 1 })
  expect(countSqs('SendMessageBatch', 'x'.repeat(64 * 1024 + 1))).toEqual({ messages: 2 })
  expect([countSqs('SendMessage', 'x', 400), countSqs('ReceiveMessage', 'x')]).toEqual([{}, {}])
})

test('KMS requests are counted, and requests to STS are free', () => {
  const response = { statusCode: 200, headers: {} }
  expect(countBilledRequest('KMS', request, response)).toEqual({ keyRequests: 1 })
  expect(countBilledRequest('STS', request, response)).toEqual({})
})

test('the units of DynamoDB are those of the response, of one table or of several', () => {
  const consumed = { CapacityUnits: 2.5 }
  expect(countUnits('GetItemCommand', { ConsumedCapacity: consumed })).toEqual({ readUnits: 2.5 })
  expect(
    countUnits('TransactWriteItemsCommand', { ConsumedCapacity: [consumed, consumed] }),
  ).toEqual({ writeUnits: 5 })
  expect(countUnits('PutItemCommand', {})).toEqual({ writeUnits: 0 })
})

test('a refused condition costs the write of the existing item, twice in a transaction', () => {
  const Item = { text: { S: 'x'.repeat(1_500) } }
  expect(countRefusedUnits({ name: 'ConditionalCheckFailedException', Item })).toEqual({
    writeUnits: 2,
  })
  // The existing item costs twice its 2 units, and the absent one twice 1 unit.
  const CancellationReasons = [{ Item }, {}]
  expect(countRefusedUnits({ name: 'TransactionCanceledException', CancellationReasons })).toEqual({
    writeUnits: 6,
  })
  expect(countRefusedUnits({ name: 'ThrottlingException' })).toEqual({})
})
