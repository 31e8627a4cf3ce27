import { describe, expect, test } from 'vitest'
import { ProviderError } from './provider-error.ts'
import { isThrottled } from './throttling.ts'

/** Creates the error of a provider call. The gRPC code 2 is UNKNOWN. */
const createFailure = (message: string, code = 2) =>
  new ProviderError(message, { status: 'ok', code })

/** Messages about too many calls, by cloud. */
const throttled: Readonly<Record<string, readonly string[]>> = {
  AWS: [
    'api error ThrottlingException: Rate exceeded',
    'api error ThrottledException: no',
    'An error occurred (Throttling) when calling the DescribeStacks operation: wait',
    'operation CREATE failed with "Throttling": no',
    'HandlerErrorCode: Throttling',
    'Throttling: Rate exceeded\n\tstatus code: 400, request id: 1',
    'operation error EC2: RunInstances, api error RequestLimitExceeded: Request limit exceeded.',
    'creating REST API: TooManyRequestsException: no',
    'api error SlowDown: no',
    'S3: PutObject: Please reduce your request rate.',
    'api error ProvisionedThroughputExceededException: no',
    'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceeded',
    'api error PriorRequestNotComplete: no',
    'api error BandwidthLimitExceeded: no',
    'api error RequestThrottled: no',
    'AWS.SimpleQueueService.RequestThrottled',
    'api error RequestThrottledException: no',
    'api error EC2ThrottledException: no',
    'api error TransactionInProgressException: no',
    'https response error StatusCode: 429, RequestID: 1, api error Odd: no',
  ],
  Azure: [
    'autorest/azure: Service returned an error. Status=429 Code="TooManyRequests"',
    'Code="SubscriptionRequestsThrottled" Message="no"',
    'Code="ResourceRequestsThrottled" Message="no"',
    'RESPONSE 503: 503 ServerBusy\nERROR CODE: ServerBusy',
    'Status=503 Code="ServerBusy" Message="Ingress is over the account limit."',
    'The request is being throttled as the limit has been reached',
    'polling failed: HTTP response code 429',
  ],
  'Google Cloud': [
    'googleapi: Error 429: no',
    'googleapi: Error 403: no, rateLimitExceeded',
    'googleapi: Error 403: no, userRateLimitExceeded',
    "Error 403: Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'",
    "Quota exceeded for quota metric 'Reads' and limit 'Reads per 100 seconds per user' of service",
    "Quota exceeded for quota group 'Reads' and limit 'Reads per 100 seconds'",
    'Error 403: Operation rate exceeded for resource: no',
    '"reason": "RATE_LIMIT_EXCEEDED"',
    '"status": "RESOURCE_EXHAUSTED"',
    'rpc error: code = ResourceExhausted desc = Resource has been exhausted (e.g. check quota).',
  ],
  Kubernetes: [
    'the server has received too many requests and has asked us to try again later',
    'client rate limiter Wait returned an error: context deadline exceeded',
    'rate: Wait(n=1) would exceed context deadline',
    'reason: TooManyRequests',
  ],
  'other clouds': [
    'POST https://example.org/v1/zones giving up after 5 attempts: HTTP/1.1 429',
    'HTTP/2.0 429 Too Many Requests',
    'unexpected answer 429 Too Many Requests',
    'HTTP 429',
    'HTTP status code 429',
    'HTTP response code: 429.',
    'unexpected status 429',
    'statusCode=429',
    'httpStatusCode: 429',
    'status_code: 429',
    '{"code": 429, "message": "no"}',
    '{"StatusCode":429}',
    'failed (code: 429)',
    'failed with code = 429',
    'You have exceeded a secondary rate limit.',
    'API rate limit exceeded for user 1',
    'ErrorCode: Throttling.User',
  ],
}

/** Messages that contain similar words or numbers, by cloud. */
const unthrottled: Readonly<Record<string, readonly string[]>> = {
  AWS: [
    'LimitExceededException: the maximum number of addresses has been reached',
    'api error VpcLimitExceeded: The maximum number of VPCs has been reached.',
    'quota exceeded: maximum number of VPCs is 5',
    'the quota of 5 VPCs is exceeded',
    'failed to get rate limit token, retry quota exceeded, 0 available, 5 requested',
    'invalid value for ThrottlingBurstLimit',
    'the Throttling settings are invalid',
    'deployment stopped: the failure rate exceeded 5 percent',
  ],
  Azure: [
    'Code="QuotaExceeded" Message="Operation could not be completed as it exceeds the quota"',
    'Code="OperationNotAllowed" Message="exceeding approved Total Regional Cores quota"',
    'StatusCode: 409, Code="StorageAccountAlreadyTaken"',
  ],
  'Google Cloud': [
    "Quota 'CPUS' exceeded. Limit: 24.0 in region us-central1.",
    "Quota exceeded for quota metric 'Networks' and limit 'Networks per project'",
    'googleapi: Error 403: Insufficient regional quota to satisfy request',
    'code = ResourceExhausted desc = Insufficient regional quota to satisfy request',
    'code = ResourceExhausted desc = quota exceeded: maximum number of topics is 10000',
    'code = ResourceExhausted desc = grpc: received message larger than max (8 vs 4)',
    'the zone has not enough capacity: ZONE_RESOURCE_POOL_EXHAUSTED',
  ],
  Kubernetes: [
    'exceeded quota: pods, requested: pods=1, used: pods=10, limited: pods=10',
    'resourcequotas "TooManyRequests-alarm" not found',
  ],
  'other clouds': [
    'bucket name already exists',
    "'id-429-a' already exists",
    'port 429 is in use',
    'port 4290 is in use',
    'the call took 429 ms',
    'the object has 429 bytes',
    'invalid id 429',
    'connection refused: http://localhost:429',
    'status code: 4290',
    '{"code": 429001}',
    'code: 429-a is unknown',
    'Error: 429 is not a valid size',
    "alarm 'throttled-queue' already exists",
    'the folder my-SlowDown/TooManyRequests-page is missing',
  ],
}

const rowsOf = (messages: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(messages).flatMap(([cloud, texts]) => texts.map(text => [cloud, text] as const))

describe('isThrottled', () => {
  test.each(rowsOf(throttled))('recognises throttling of %s: %s', (_cloud, message) => {
    expect(isThrottled(createFailure(message))).toBe(true)
  })

  test.each(rowsOf(unthrottled))('recognises no throttling of %s: %s', (_cloud, message) => {
    expect(isThrottled(createFailure(message))).toBe(false)
  })

  test('recognises the gRPC code RESOURCE_EXHAUSTED', () => {
    expect(isThrottled(createFailure('no', 8))).toBe(true)
  })

  test.each([
    'Received message larger than max (8388609 vs 4194304)',
    'Insufficient quota to satisfy the request',
  ])('does not recognise the gRPC code RESOURCE_EXHAUSTED with the message: %s', message => {
    expect(isThrottled(createFailure(message, 8))).toBe(false)
  })

  test('recognises only errors of providers', () => {
    expect(isThrottled(new Error('TooManyRequests'))).toBe(false)
  })
})
