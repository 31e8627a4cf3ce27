/** The permissions that the local cloud derives from requests. */
import { expect, test } from 'vitest'
import type { ServiceRequest } from '../../infra/local-cloud/permissions/required-permission.ts'
import { permissionReaders } from '../../infra/local-cloud/permissions/service-permissions.ts'
import type { AwsService } from '../../shared/platform/aws/clients.ts'

const location = { account: '123456789012', region: 'eu-central-1' }
const catalog = 'arn:aws:dynamodb:eu-central-1:123456789012:table/catalog'

function readPermissions(service: AwsService, request: Partial<ServiceRequest>) {
  const whole = { method: 'POST', target: '/', headers: {}, body: '', ...request }
  return permissionReaders[service](whole, location)
}

function readFromJson(service: AwsService, operation: string, body: object) {
  const headers = { 'x-amz-target': `Service.${operation}` }
  return readPermissions(service, { headers, body: JSON.stringify(body) })
}

test('a request to ECS needs the permission for each service of the cluster', () => {
  const service = 'arn:aws:ecs:eu-central-1:123456789012:service/site/one'
  expect(readFromJson('ECS', 'DescribeServices', { cluster: 'site', services: ['one'] })).toEqual([
    { action: 'ecs:DescribeServices', resource: service, context: {} },
  ])
  const update = { cluster: 'site', service: 'one', desiredCount: 2 }
  expect(readFromJson('ECS', 'UpdateService', update)).toEqual([
    { action: 'ecs:UpdateService', resource: service, context: {} },
  ])
})

test('a query of DynamoDB needs the permission for the partition in its condition', () => {
  const body = { TableName: 'catalog', ExpressionAttributeValues: { ':pk': { S: 'stack a' } } }
  expect(readFromJson('DYNAMODB', 'Query', body)).toEqual([
    {
      action: 'dynamodb:Query',
      resource: catalog,
      context: { 'dynamodb:LeadingKeys': ['stack a'] },
    },
  ])
})

test('a transaction of DynamoDB needs the permission of each operation', () => {
  const TransactItems = [
    { Put: { TableName: 'catalog', Item: { pk: { S: 'documents token' } } } },
    { ConditionCheck: { TableName: 'catalog', Key: { pk: { S: 'stack a' } } } },
  ]
  const permissions = readFromJson('DYNAMODB', 'TransactWriteItems', { TransactItems })
  expect(permissions.map(({ action, context }) => [action, context])).toEqual([
    ['dynamodb:PutItem', { 'dynamodb:LeadingKeys': ['documents token'] }],
    ['dynamodb:ConditionCheckItem', { 'dynamodb:LeadingKeys': ['stack a'] }],
  ])
})

test('a batch of DynamoDB needs the permission for every partition of its items', () => {
  const puts = ['a', 'b', 'a'].map(S => ({ PutRequest: { Item: { pk: { S } } } }))
  const permissions = readFromJson('DYNAMODB', 'BatchWriteItem', {
    RequestItems: { catalog: puts },
  })
  expect(permissions).toEqual([
    {
      action: 'dynamodb:BatchWriteItem',
      resource: catalog,
      context: { 'dynamodb:LeadingKeys': ['a', 'b'] },
    },
  ])
})

test.each([
  ['GET', '/shop/blobs/a', {}, 's3:GetObject', {}],
  ['HEAD', '/shop/blobs/a?versionId=1', {}, 's3:GetObjectVersion', {}],
  ['PUT', '/shop/blobs/a', {}, 's3:PutObject', {}],
  ['PUT', '/shop/blobs/a', { 'if-none-match': '*' }, 's3:PutObject', { 's3:if-none-match': '*' }],
  ['POST', '/shop/blobs/a?uploads', {}, 's3:PutObject', {}],
  ['DELETE', '/shop/blobs/a?uploadId=1', {}, 's3:AbortMultipartUpload', {}],
  ['DELETE', '/shop/blobs/a?versionId=1', {}, 's3:DeleteObjectVersion', {}],
  ['PUT', '/shop/blobs/a?tagging', {}, 's3:PutObjectTagging', {}],
] as const)('%s %s %j of S3 needs %s', (method, target, headers, action, context) => {
  const resource = 'arn:aws:s3:::shop/blobs/a'
  expect(readPermissions('S3', { method, target, headers })).toEqual([
    { action, resource, context },
  ])
})

test.each([
  ['shop/blobs/a%20b', 's3:GetObject'],
  ['/shop/blobs/a%20b?versionId=1', 's3:GetObjectVersion'],
])('a copy of %s in S3 also needs %s of its source', (source, action) => {
  const request = {
    method: 'PUT',
    target: '/shop/set-aside/a',
    headers: { 'x-amz-copy-source': source },
  }
  expect(readPermissions('S3', request)).toEqual([
    { action, resource: 'arn:aws:s3:::shop/blobs/a b', context: {} },
    { action: 's3:PutObject', resource: 'arn:aws:s3:::shop/set-aside/a', context: {} },
  ])
})

test('a list of S3 needs the permission for its prefix', () => {
  const request = { method: 'GET', target: '/shop?list-type=2&prefix=blobs%2F' }
  expect(readPermissions('S3', request)).toEqual([
    { action: 's3:ListBucket', resource: 'arn:aws:s3:::shop', context: { 's3:prefix': 'blobs/' } },
  ])
})

test('a decryption of KMS needs the permission for each pair of its encryption context', () => {
  const KeyId = 'arn:aws:kms:eu-central-1:123456789012:key/k'
  const EncryptionContext = { purpose: 'trigger' }
  expect(readFromJson('KMS', 'Decrypt', { KeyId, EncryptionContext })).toEqual([
    {
      action: 'kms:Decrypt',
      resource: KeyId,
      context: {
        'kms:EncryptionContext:purpose': 'trigger',
        'kms:EncryptionContextKeys': ['purpose'],
      },
    },
  ])
})

test('a batch of SQS needs the permission of its single operation', () => {
  const body = { QueueUrl: 'http://127.0.0.1:1/123456789012/chains' }
  expect(readFromJson('SQS', 'SendMessageBatch', body)).toEqual([
    {
      action: 'sqs:SendMessage',
      resource: 'arn:aws:sqs:eu-central-1:123456789012:chains',
      context: {},
    },
  ])
})

test('a new schedule needs the permission to pass its role', () => {
  const body = JSON.stringify({ GroupName: 'g', Target: { RoleArn: 'arn:aws:iam::1:role/r' } })
  const permissions = readPermissions('SCHEDULER', { target: '/schedules/night', body })
  expect(permissions).toEqual([
    {
      action: 'scheduler:CreateSchedule',
      resource: 'arn:aws:scheduler:eu-central-1:123456789012:schedule/g/night',
      context: {},
    },
    {
      action: 'iam:PassRole',
      resource: 'arn:aws:iam::1:role/r',
      context: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
    },
  ])
})

test('the assumption of a role needs the permission for its external id', () => {
  const form = { Action: 'AssumeRole', RoleArn: 'arn:aws:iam::1:role/r', ExternalId: 'a/b' }
  expect(readPermissions('STS', { body: new URLSearchParams(form).toString() })).toEqual([
    {
      action: 'sts:AssumeRole',
      resource: 'arn:aws:iam::1:role/r',
      context: { 'sts:ExternalId': 'a/b' },
    },
  ])
})
