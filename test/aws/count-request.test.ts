import { expect, test } from 'vitest'
import { countRequest, type ProxiedRequest } from './count-request.ts'
import { awsPrices } from '../../shared/config/aws-prices.ts'
import { costOf, noCounts, addCounts } from './counts.ts'

const request: ProxiedRequest = {
  service: 'SQS',
  method: 'POST',
  path: '/',
  target: '',
  status: 200,
  requestBytes: 100,
  responseBytes: 100,
  responseText: '{}',
}

test('S3 requests are billed by their class, but not deletes and server errors', () => {
  const s3 = { ...request, service: 'S3' }
  const countS3Request = (method: string, path = '/b/k', status = 200) =>
    countRequest({ ...s3, method, path, status })
  expect([
    countS3Request('PUT'),
    countS3Request('PUT', '/b/k', 412),
    countS3Request('GET', '/b/?list-type=2&prefix=a'),
  ]).toEqual([{ puts: 1 }, { puts: 1 }, { puts: 1 }])
  expect([countS3Request('GET'), countS3Request('HEAD', '/b/k', 404)]).toEqual([
    { gets: 1 },
    { gets: 1 },
  ])
  expect([countS3Request('DELETE'), countS3Request('PUT', '/b/k', 503)]).toEqual([{}, {}])
})

test('SQS requests are billed per 64 KB, and empty receives are counted separately', () => {
  const target = 'AmazonSQS.ReceiveMessage'
  const responseText = '{"Messages":[{"Body":"x"}]}'
  expect(countRequest({ ...request, target })).toEqual({ emptyReceives: 1 })
  expect(countRequest({ ...request, target, responseText })).toEqual({ messages: 1 })
  expect(
    countRequest({ ...request, target: 'AmazonSQS.SendMessage', requestBytes: 65_537 }),
  ).toEqual({ messages: 2 })
  expect(countRequest({ ...request, target: 'AmazonSQS.GetQueueAttributes' })).toEqual({})
})

test('a write with a failed condition is billed by the size of the existing item', () => {
  const countRefusedWrite = (bytes: number) =>
    countRequest({
      ...request,
      service: 'DYNAMODB',
      target: 'DynamoDB_20120810.PutItem',
      status: 400,
      responseText: JSON.stringify({
        __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
        Item: { pk: { S: 'a' }, data: { B: Buffer.alloc(bytes).toString('base64') } },
      }),
    })
  expect(countRefusedWrite(10)).toEqual({ writes: 1, writeUnits: 1 })
  expect(countRefusedWrite(2_100)).toEqual({ writes: 1, writeUnits: 3 })
})

test('the cost is the sum of counts times prices', () => {
  const counts = addCounts(noCounts, { writeUnits: 1_000_000, gbSeconds: 1 })
  // A million write units cost 0.625 US dollars.
  expect(costOf(counts)).toBeCloseTo(0.625 + awsPrices.gbSecond, 10)
  expect(costOf(noCounts)).toBe(0)
})
