/**
 * aws: all ports over AWS services. Imports ports and below, the record formats of
 * platform/records, and clock and random numbers of system.
 *
 * Invariants: 1. Every request has a timeout and a number of attempts from shared/config. 2. A
 * request that the SDK retries after a lost response may take effect twice without harm. 3. The
 * ports throw errors of the catalogue: aws-error.ts and dynamo-error.ts convert those of the SDK.
 * Only the functions of lambda-client.ts, which are no ports, throw them unchanged. 4. The adapters
 * parse stored data when they read it, and never trust its format.
 */
import { ECSClient } from '@aws-sdk/client-ecs'
import { KMSClient } from '@aws-sdk/client-kms'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import * as z from 'zod'
import { awsLimits } from '../../config/aws-limits.ts'
import { createError } from '../../errors/error.ts'
import { meterRequests, type UsageMeter } from './usage-meter.ts'

/** Services with a client in this folder, named as in `ANTICHAIN_<SERVICE>_ENDPOINT`. */
export type AwsService = (typeof services)[number]

/** The SDK's request handler. */
export type AwsHandler = Pick<
  NodeHttpHandler,
  'metadata' | 'handle' | 'destroy' | 'updateHttpClientConfig' | 'httpHandlerConfigs'
>

/** The location of the services. The SDK finds the credentials itself, by its default chain. */
export interface AwsSettings {
  readonly region: string
  /** Endpoints of emulators. Without an endpoint, the SDK uses the service of the region. */
  readonly endpoints: Partial<Readonly<Record<AwsService, string>>>
  /** Wraps the request handler, for faults and counters in tests. */
  readonly wrapHandler?: (handler: AwsHandler, service: AwsService) => AwsHandler
  /** Counts the billed requests of all clients, for the costs of deployments. */
  readonly meter?: UsageMeter
}

const regionPattern = /^[a-z]{2,4}(-[a-z]+)+-\d+$/
const services = ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER', 'STS', 'LAMBDA', 'ECS'] as const
const endpointForm = z.url({ protocol: /^https?$/ })

/**
 * Reads the settings from the environment: AWS_REGION, else AWS_DEFAULT_REGION, and
 * `ANTICHAIN_<SERVICE>_ENDPOINT`. Throws AWS_SETTINGS_INVALID.
 */
export function readAwsSettings(env: Readonly<Record<string, string | undefined>>): AwsSettings {
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || ''
  if (region === '')
    throw createError('AWS_SETTINGS_INVALID', 'the AWS region is unknown: AWS_REGION is not set')
  if (!regionPattern.test(region))
    throw createError(
      'AWS_SETTINGS_INVALID',
      `AWS_REGION is '${region}', which is not a valid region`,
    )
  const endpoints: Partial<Record<AwsService, string>> = {}
  for (const service of services) {
    const name = `ANTICHAIN_${service}_ENDPOINT`
    const endpoint = env[name] ?? ''
    if (endpoint === '') continue
    if (!endpointForm.safeParse(endpoint).success)
      throw createError(
        'AWS_SETTINGS_INVALID',
        `${name} is '${endpoint}', which is not an http address`,
      )
    endpoints[service] = endpoint
  }
  return { region, endpoints }
}

/** Returns the configuration that all SDK clients share. */
export function createClientConfig(
  settings: AwsSettings,
  service: AwsService,
  responseTimeoutMs: number = awsLimits.responseTimeoutMs,
) {
  const defaultHandler = new NodeHttpHandler({
    connectionTimeout: awsLimits.connectTimeoutMs,
    requestTimeout: responseTimeoutMs,
    throwOnRequestTimeout: true,
    socketTimeout: responseTimeoutMs,
    httpAgent: { keepAlive: true, maxSockets: awsLimits.socketsMax },
    httpsAgent: { keepAlive: true, maxSockets: awsLimits.socketsMax },
  })
  const endpoint = settings.endpoints[service]
  const handler = settings.wrapHandler?.(defaultHandler, service) ?? defaultHandler
  const { meter } = settings
  return {
    region: settings.region,
    maxAttempts: awsLimits.sdkAttemptsMax,
    requestHandler: meter === undefined ? handler : meterRequests(handler, service, meter),
    ...(endpoint === undefined ? {} : { endpoint }),
  }
}

/** Returns the settings of the client of DynamoDB. */
export function dynamoSettingsOf({ region, endpoints, meter }: AwsSettings) {
  const endpoint = endpoints.DYNAMODB
  return {
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(meter === undefined ? {} : { meter }),
  }
}

/** Creates a client of SQS. Its response timeout includes the time of a long poll. */
export function createSqsClient(settings: AwsSettings): SQSClient {
  return new SQSClient(
    createClientConfig(settings, 'SQS', awsLimits.responseTimeoutMs + awsLimits.receiveWaitMs),
  )
}

/** Creates a client of S3. */
export function createS3Client(settings: AwsSettings): S3Client {
  return new S3Client({
    ...createClientConfig(settings, 'S3', awsLimits.blobResponseTimeoutMs),
    // An emulator has one host name for all buckets.
    forcePathStyle: settings.endpoints.S3 !== undefined,
  })
}

/**
 * Creates a client of S3 that signs upload addresses before the bytes are known. The client
 * therefore adds no checksum to a request that needs none.
 */
export function createUploadSigner(settings: AwsSettings): S3Client {
  return new S3Client({
    ...createClientConfig(settings, 'S3', awsLimits.blobResponseTimeoutMs),
    forcePathStyle: settings.endpoints.S3 !== undefined,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
}

/** Creates a client of ECS. */
export function createEcsClient(settings: AwsSettings): ECSClient {
  return new ECSClient(createClientConfig(settings, 'ECS'))
}

/** Creates a client of KMS. `region` is the region of the key. */
export function createKmsClient(
  settings: AwsSettings,
  { region, profile }: { readonly region: string; readonly profile?: string | undefined },
): KMSClient {
  const profileConfig = profile === undefined ? {} : { profile }
  return new KMSClient({ ...createClientConfig(settings, 'KMS'), region, ...profileConfig })
}
