import { expect, test } from 'vitest'
import { ProviderError } from './provider-error.ts'
import { isThrottled } from './throttling.ts'

const createFailure = (message: string, code = 2) =>
  new ProviderError(message, { status: 'ok', code })

test.each([
  ['AWS', 'api error ThrottlingException: Rate exceeded'],
  [
    'AWS',
    'operation error EC2: RunInstances, api error RequestLimitExceeded: Request limit exceeded.',
  ],
  ['AWS', 'creating API Gateway REST API: TooManyRequestsException: Too Many Requests'],
  ['AWS', 'api error SlowDown: Please reduce your request rate.'],
  ['Azure', 'autorest/azure: Service returned an error. Status=429 Code="TooManyRequests"'],
  ['Google Cloud', 'googleapi: Error 429: Rate Limit Exceeded, rateLimitExceeded'],
  [
    'Google Cloud',
    "Error 403: Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'",
  ],
  ['Kubernetes', 'the server has received too many requests and has asked us to try again later'],
  ['Kubernetes', 'client rate limiter Wait returned an error: context deadline exceeded'],
])('%s: "%s" is throttling', (_cloud, message) => {
  expect(isThrottled(createFailure(message))).toBe(true)
})

test('the gRPC code RESOURCE_EXHAUSTED is throttling', () => {
  expect(isThrottled(createFailure('no', 8))).toBe(true)
})

test.each([
  'bucket name already exists',
  'LimitExceededException: the maximum number of addresses has been reached',
  'port 4290 is in use',
  'the quota of 5 VPCs is exceeded',
  'invalid value for ThrottlingBurstLimit',
])('"%s" is no throttling', message => {
  expect(isThrottled(createFailure(message))).toBe(false)
})

test('a message that is too large is no throttling, although it has the same gRPC code', () => {
  const tooLarge = createFailure('Received message larger than max (8388609 vs 4194304)', 8)
  expect(isThrottled(tooLarge)).toBe(false)
})

test('an error that is not of a provider is no throttling', () => {
  expect(isThrottled(new Error('TooManyRequests'))).toBe(false)
})
