import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type PutObjectCommandInput,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { type DeployError, createError, messageOf } from '../../errors/error.ts'
import type { ObjectEntry, ObjectStorePort } from '../../ports/objects.ts'
import { createAwsError, errorNameOf, httpStatusOf } from '../aws/aws-error.ts'
import { contentTypeOf } from './content-type-of-bytes.ts'
import { backendErrorOf, createRequestRunner } from './object-errors.ts'
import { addressOfBucket, type ObjectStoreUrl, requireKnownQuery } from './object-store-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The query parameters of Pulumi's S3 stores, all of which this store accepts. */
const knownParameters: ReadonlySet<string> = new Set([
  ...['region', 'endpoint', 'profile', 's3ForcePathStyle', 'use_path_style', 'disable_https'],
  ...['disableSSL', 'hostname_immutable', 'awssdk', 'ssetype', 'kmskeyid', 'dualstack', 'fips'],
  ...['accelerate', 'request_checksum_calculation', 'response_checksum_validation'],
])

/**
 * Creates the store of `s3://<bucket>/<folder>`. The query selects region, endpoint and encryption
 * as for Pulumi. Throws BACKEND_URL_INVALID for an unknown parameter or type of encryption.
 */
export function createS3Objects(url: ObjectStoreUrl, env: Env): ObjectStorePort {
  const { bucket, prefix, query } = url
  requireKnownQuery(url, knownParameters)
  const client = new S3Client(readClientConfig(query, env))
  const address = addressOfBucket(url)
  const encryption = readEncryption(query)
  const withErrors = createRequestRunner(address, (request, thrown) =>
    errorNameOf(thrown) === 'InvalidBucketName'
      ? createError('BACKEND_URL_INVALID', `'${bucket}' is not a valid name of a bucket`, {
          cause: thrown,
        })
      : backendErrorOf(request, createAwsError(request, thrown)),
  )
  const putObject = (key: string, bytes: Uint8Array, condition: Partial<PutObjectCommandInput>) =>
    client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: prefix + key,
        Body: bytes,
        ContentType: contentTypeOf(bytes),
        ...encryption,
        ...condition,
      }),
    )
  return {
    address,
    get: key =>
      withErrors(`get ${key}`, async () => {
        try {
          const reply = await client.send(
            new GetObjectCommand({ Bucket: bucket, Key: prefix + key }),
          )
          return await reply.Body?.transformToByteArray()
        } catch (thrown) {
          if (errorNameOf(thrown) === 'NoSuchKey') return undefined
          throw thrown
        }
      }),
    put: (key, bytes) =>
      withErrors(`put ${key}`, async () => void (await putObject(key, bytes, {}))),
    putIfAbsent: (key, bytes) =>
      withErrors(`put ${key}`, async () => {
        try {
          await putObject(key, bytes, { IfNoneMatch: '*' })
          return true
        } catch (thrown) {
          if (httpStatusOf(thrown) === 412) return false
          if (isConditionRefused(thrown)) throw createConditionError(address, thrown)
          throw thrown
        }
      }),
    list: keyPrefix =>
      withErrors(`list ${keyPrefix}`, () => listObjects(client, { bucket, prefix, keyPrefix })),
    remove: key =>
      withErrors(`remove ${key}`, async () => {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key }))
      }),
  }
}

/**
 * Reports whether a store refused a write because it does not know the condition. Stores of other
 * vendors respond with 501, or with 400 and various names.
 */
function isConditionRefused(thrown: unknown): boolean {
  const status = httpStatusOf(thrown)
  if (status !== 400) return status === 501
  const names = ['NotImplemented', 'InvalidRequest', 'InvalidArgument', 'BadRequest']
  return names.includes(errorNameOf(thrown)) || /if-none-match/i.test(messageOf(thrown))
}

function createConditionError(address: string, thrown: unknown): DeployError {
  return createError(
    'BACKEND_CONDITION_REFUSED',
    `${address} refuses writes with a condition: ${messageOf(thrown)}`,
    { cause: thrown },
  )
}

async function listObjects(
  client: S3Client,
  {
    bucket,
    prefix,
    keyPrefix,
  }: { readonly bucket: string; readonly prefix: string; keyPrefix: string },
): Promise<readonly ObjectEntry[]> {
  const entries: ObjectEntry[] = []
  for (let token: string | undefined; ; ) {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix + keyPrefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    )
    for (const { Key: key = '', LastModified: modified } of page.Contents ?? [])
      entries.push({ key: key.slice(prefix.length), modifiedMs: modified?.getTime() ?? 0 })
    token = page.NextContinuationToken
    if (token === undefined) return entries
  }
}

function readClientConfig(query: URLSearchParams, env: Env): S3ClientConfig {
  const isInsecure = isTrue(query, 'disable_https') || isTrue(query, 'disableSSL')
  const endpoint = query.get('endpoint') ?? ''
  const region = query.get('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || ''
  const profile = query.get('profile')
  const isPathStyle = ['s3ForcePathStyle', 'use_path_style', 'hostname_immutable'].some(name =>
    isTrue(query, name),
  )
  return {
    ...(region === '' ? {} : { region }),
    ...(profile === null ? {} : { profile }),
    ...(endpoint === '' ? {} : { endpoint: withScheme(endpoint, isInsecure) }),
    ...(isTrue(query, 'dualstack') ? { useDualstackEndpoint: true } : {}),
    ...(isTrue(query, 'fips') ? { useFipsEndpoint: true } : {}),
    ...(isTrue(query, 'accelerate') ? { useAccelerateEndpoint: true } : {}),
    forcePathStyle: isPathStyle,
    // Some stores of other vendors refuse the checksums that the SDK adds by default.
    ...(endpoint === '' ? {} : { requestChecksumCalculation: 'WHEN_REQUIRED' as const }),
  }
}

function readEncryption(query: URLSearchParams): Partial<PutObjectCommandInput> {
  const type = query.get('ssetype') ?? ''
  const key = query.get('kmskeyid') ?? ''
  if (!['', 'AES256', 'aws:kms', 'aws:kms:dsse'].includes(type))
    throw createError('BACKEND_URL_INVALID', `'${type}' is not a type of server-side encryption`)
  return {
    ...(type === ''
      ? {}
      : { ServerSideEncryption: type as PutObjectCommandInput['ServerSideEncryption'] }),
    ...(key === '' ? {} : { SSEKMSKeyId: key }),
  }
}

function withScheme(endpoint: string, isInsecure: boolean): string {
  return endpoint.includes('://') ? endpoint : `${isInsecure ? 'http' : 'https'}://${endpoint}`
}

function isTrue(query: URLSearchParams, name: string): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(query.get(name) ?? '')
}
