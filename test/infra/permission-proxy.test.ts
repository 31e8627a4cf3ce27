/** A proxy of the local cloud refuses requests that a role does not allow. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms'
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Denial,
  type PermissionProxies,
  type PermissionUse,
  startPermissionProxies,
} from '../../infra/local-cloud/permissions/permission-proxy.ts'

const location = { account: '000000000000', region: 'us-east-1' }
const key = 'arn:aws:kms:us-east-1:000000000000:key/k'
const statements = [
  {
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    Resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/catalog',
    Condition: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['requests *'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  },
  {
    Effect: 'Allow',
    Action: 'kms:Decrypt',
    Resource: key,
    Condition: { StringEquals: { 'kms:EncryptionContext:purpose': 'trigger' } },
  },
  { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::shop/*' },
  {
    Effect: 'Allow',
    Action: 's3:ListBucket',
    Resource: 'arn:aws:s3:::shop',
    Condition: { StringLike: { 's3:prefix': ['blobs/*'] } },
  },
] as const
const keyPolicy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::000000000000:root' },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
} as const
const credentials = { accessKeyId: 'fake', secretAccessKey: 'fakefake' }

let upstream: Server
let received: string[]
let denials: Denial[]
let uses: PermissionUse[]
let proxies: PermissionProxies

beforeEach(async () => {
  received = []
  denials = []
  uses = []
  upstream = createServer((request, response) => {
    received.push(String(request.headers['x-amz-target'] ?? request.url))
    const isMissing = request.url?.startsWith('/shop/') === true
    response
      .writeHead(isMissing ? 404 : 200, { 'content-type': 'application/x-amz-json-1.0' })
      .end('{}')
  })
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  proxies = await startPermissionProxies({
    location,
    configuration: { role: 'webhook', statements, keyPolicy },
    upstreams: { DYNAMODB: url, KMS: url, S3: url, SQS: url, STS: url },
    onDenial: denial => denials.push(denial),
    onUse: use => uses.push(use),
    onFailure: reason => expect.unreachable(reason),
  })
})
afterEach(async () => {
  await proxies.close()
  upstream.closeAllConnections()
  upstream.close()
})

function clientOptionsOf(service: keyof PermissionProxies['urls'], keys = credentials) {
  const endpoint = proxies.urls[service] ?? ''
  return { region: 'us-east-1', endpoint, credentials: keys, maxAttempts: 1 }
}

test('an allowed request reaches the service, and its statement counts as used', async () => {
  const client = new DynamoDBClient(clientOptionsOf('DYNAMODB'))
  const Key = { pk: { S: 'requests a' }, sk: { S: 'b' } }
  await client.send(new GetItemCommand({ TableName: 'catalog', Key }))
  expect(received).toEqual(['DynamoDB_20120810.GetItem'])
  expect(uses).toEqual([{ role: 'webhook', action: 'dynamodb:GetItem', statement: 0 }])
  expect(denials).toEqual([])
})

test('a put into a partition that the role may not write does not reach the service', async () => {
  const client = new DynamoDBClient(clientOptionsOf('DYNAMODB'))
  const Item = { pk: { S: 'documents token' }, sk: { S: 'admin' } }
  const put = client.send(new PutItemCommand({ TableName: 'catalog', Item }))
  await expect(put).rejects.toMatchObject({ name: 'AccessDeniedException' })
  expect(received).toEqual([])
  expect(denials).toMatchObject([{ role: 'webhook', permission: { action: 'dynamodb:PutItem' } }])
})

test('S3 conceals a missing object from a role that cannot list its prefix', async () => {
  const client = new S3Client({ ...clientOptionsOf('S3'), forcePathStyle: true })
  const read = (Key: string) => client.send(new GetObjectCommand({ Bucket: 'shop', Key }))
  const check = (Key: string) => client.send(new HeadObjectCommand({ Bucket: 'shop', Key }))
  const notFound = { $metadata: { httpStatusCode: 404 } }
  const forbidden = { $metadata: { httpStatusCode: 403 } }
  await expect(read('blobs/a')).rejects.toMatchObject(notFound)
  await expect(check('blobs/a')).rejects.toMatchObject(notFound)
  expect(denials).toEqual([])
  expect(uses).toContainEqual({ role: 'webhook', action: 's3:ListBucket', statement: 3 })
  await expect(read('plugins/a')).rejects.toMatchObject(forbidden)
  await expect(check('plugins/a')).rejects.toMatchObject(forbidden)
  const copy = (CopySource: string) =>
    client.send(new CopyObjectCommand({ Bucket: 'shop', Key: 'blobs/b', CopySource }))
  await expect(copy('shop/blobs/a')).rejects.toMatchObject(notFound)
  await expect(copy('shop/plugins/a')).rejects.toMatchObject(forbidden)
  expect(denials.map(({ permission }) => permission.context)).toEqual(
    Array.from({ length: 3 }, () => ({ 's3:prefix': 'plugins/a' })),
  )
})

test('a decryption needs the encryption context that the role requires', async () => {
  const client = new KMSClient(clientOptionsOf('KMS'))
  const decrypt = (purpose: string) =>
    client.send(
      new DecryptCommand({
        KeyId: key,
        CiphertextBlob: Buffer.from('c'),
        EncryptionContext: { purpose },
      }),
    )
  await decrypt('trigger')
  await expect(decrypt('stack')).rejects.toMatchObject({ name: 'AccessDeniedException' })
  expect(received).toEqual(['TrentService.Decrypt'])
})

test('each service reports a missing permission in its own protocol', async () => {
  const calls = {
    AccessDenied: [
      () =>
        new S3Client({ ...clientOptionsOf('S3'), forcePathStyle: true }).send(
          new GetObjectCommand({ Bucket: 'b', Key: 'k' }),
        ),
      () =>
        new STSClient(clientOptionsOf('STS')).send(
          new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::1:role/r', RoleSessionName: 'session' }),
        ),
    ],
    AccessDeniedException: [
      () =>
        new KMSClient(clientOptionsOf('KMS')).send(
          new DecryptCommand({ KeyId: 'k', CiphertextBlob: Buffer.from('c') }),
        ),
      () =>
        new SQSClient(clientOptionsOf('SQS')).send(
          new SendMessageCommand({
            QueueUrl: `${proxies.urls.SQS}/000000000000/chains`,
            MessageBody: 'm',
          }),
        ),
    ],
  }
  for (const [name, sends] of Object.entries(calls))
    for (const send of sends) await expect(send()).rejects.toMatchObject({ name })
  expect(received).toEqual([])
  expect(denials).toHaveLength(4)
})

test('a request with the credentials of an assumed role passes unchecked', async () => {
  const keys = { accessKeyId: 'ASIAOTHER', secretAccessKey: 'secret' }
  const client = new DynamoDBClient(clientOptionsOf('DYNAMODB', keys))
  const Key = { pk: { S: 'anything' }, sk: { S: 'b' } }
  await client.send(new GetItemCommand({ TableName: 'other', Key }))
  expect(received).toEqual(['DynamoDB_20120810.GetItem'])
  expect(denials).toEqual([])
})
