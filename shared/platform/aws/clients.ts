/**
 * aws: every port over the services of AWS. Imports ports and below, and the system's clock.
 *
 * Invariants: 1. Every request has a timeout and a number of attempts from shared/config. 2. What
 * the SDK repeats after a lost reply is harmless when it took effect twice. 3. Nothing thrown by
 * the SDK leaves this folder: failures.ts makes an error of the catalogue of it. 4. No answer of a
 * service is trusted in its form: what was stored is parsed when it is read.
 */
import { KMSClient } from '@aws-sdk/client-kms'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { z } from 'zod'
import { awsLimits } from '../../config/aws-limits.ts'
import { error } from '../../errors/error.ts'

/** Services with a client here, as in the names of their variables. */
export type AwsService = 'DYNAMODB' | 'SQS' | 'S3' | 'KMS' | 'SCHEDULER' | 'STS' | 'LAMBDA'

/** What sends requests, as the SDK knows it. */
export type AwsHandler = Pick<
  NodeHttpHandler,
  'metadata' | 'handle' | 'destroy' | 'updateHttpClientConfig' | 'httpHandlerConfigs'
>

/** Where the services are. Credentials are found by the SDK's own chain. */
export interface AwsSettings {
  readonly region: string
  /** Of emulators; AWS itself is found by the region. */
  readonly endpoints: Partial<Readonly<Record<AwsService, string>>>
  /** Wraps what sends requests: faults and counters of tests. */
  readonly wrapHandler?: (handler: AwsHandler, service: AwsService) => AwsHandler
}

const regionForm = /^[a-z]{2,4}(-[a-z]+)+-\d+$/
const services = ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER', 'STS', 'LAMBDA'] as const
const endpointForm = z.url({ protocol: /^https?$/ })

/**
 * Settings from the environment: AWS_REGION, else AWS_DEFAULT_REGION, and
 * `ANTICHAIN_<SERVICE>_ENDPOINT`. Throws AWS_SETTINGS_INVALID.
 */
export function readAwsSettings(env: Readonly<Record<string, string | undefined>>): AwsSettings {
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || ''
  if (region === '')
    throw error('AWS_SETTINGS_INVALID', 'the region is not given: AWS_REGION is not set')
  if (!regionForm.test(region))
    throw error('AWS_SETTINGS_INVALID', `AWS_REGION is '${region}', which is not a region`)
  const endpoints: Partial<Record<AwsService, string>> = {}
  for (const service of services) {
    const name = `ANTICHAIN_${service}_ENDPOINT`
    const endpoint = env[name] ?? ''
    if (endpoint === '') continue
    if (!endpointForm.safeParse(endpoint).success)
      throw error('AWS_SETTINGS_INVALID', `${name} is '${endpoint}', which is not an http address`)
    endpoints[service] = endpoint
  }
  return { region, endpoints }
}

/** What every client of the SDK is made with. `answerMs`: how long one answer is waited for. */
export function createClientConfig(
  settings: AwsSettings,
  service: AwsService,
  answerMs: number = awsLimits.answerMs,
) {
  const own = new NodeHttpHandler({
    connectionTimeout: awsLimits.connectMs,
    requestTimeout: answerMs,
    throwOnRequestTimeout: true,
    socketTimeout: answerMs,
    httpAgent: { keepAlive: true, maxSockets: awsLimits.socketsMax },
    httpsAgent: { keepAlive: true, maxSockets: awsLimits.socketsMax },
  })
  const endpoint = settings.endpoints[service]
  return {
    region: settings.region,
    maxAttempts: awsLimits.attemptsMax,
    requestHandler: settings.wrapHandler?.(own, service) ?? own,
    ...(endpoint === undefined ? {} : { endpoint }),
  }
}

/** A client of SQS; its receives may wait at the server. */
export function createSqsClient(settings: AwsSettings): SQSClient {
  return new SQSClient(
    createClientConfig(settings, 'SQS', awsLimits.answerMs + awsLimits.receiveWaitMs),
  )
}

/** A client of S3. */
export function createS3Client(settings: AwsSettings): S3Client {
  return new S3Client({
    ...createClientConfig(settings, 'S3', awsLimits.blobAnswerMs),
    // An emulator has one name for all buckets.
    forcePathStyle: settings.endpoints.S3 !== undefined,
  })
}

/** A client of KMS; `region`: that of the key. */
export function createKmsClient(settings: AwsSettings, region: string): KMSClient {
  return new KMSClient({ ...createClientConfig(settings, 'KMS'), region })
}
