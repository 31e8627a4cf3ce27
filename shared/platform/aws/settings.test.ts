import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { awsLimits } from '../../config/aws-limits.ts'
import {
  type AwsHandler,
  readAwsSettings,
  createClientConfig,
  createEcsClient,
  createKmsClient,
  createS3Client,
  createSqsClient,
  createUploadSigner,
} from './clients.ts'

const errorWithCode = (code: string) => expect.objectContaining({ code })

/**
 * Returns the settings of a request handler, which resolves them in its first request. The request
 * is cancelled before it is sent.
 */
async function readHandlerConfig(handler: AwsHandler) {
  const request = {} as Parameters<AwsHandler['handle']>[0]
  const cancelled = handler.handle(request, { abortSignal: AbortSignal.abort() })
  await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' })
  return handler.httpHandlerConfigs()
}

describe('client settings', () => {
  test('consist of the region and the endpoints of emulators', () => {
    expect(
      readAwsSettings({
        AWS_REGION: 'eu-central-1',
        AWS_DEFAULT_REGION: 'us-east-1',
        ANTICHAIN_SQS_ENDPOINT: 'http://127.0.0.1:4566',
        ANTICHAIN_S3_ENDPOINT: '',
      }),
    ).toEqual({ region: 'eu-central-1', endpoints: { SQS: 'http://127.0.0.1:4566' } })
    expect(readAwsSettings({ AWS_DEFAULT_REGION: 'us-gov-west-1' }).region).toBe('us-gov-west-1')
  })

  test.each([
    ['no region', {}],
    ['an empty region', { AWS_REGION: '' }],
    ['a name that is not a region', { AWS_REGION: 'europe' }],
    ['an endpoint without scheme', { AWS_REGION: 'us-east-1', ANTICHAIN_S3_ENDPOINT: 'x:1' }],
  ])('are refused with %s', (_name, env) => {
    expect(() => readAwsSettings(env)).toThrow(errorWithCode('AWS_SETTINGS_INVALID'))
  })

  test('of KMS use the credentials of a profile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'antichain-profiles-'))
    const file = join(folder, 'credentials')
    writeFileSync(file, '[audit]\naws_access_key_id = AUDITKEY\naws_secret_access_key = hush\n')
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file)
    const settings = { region: 'eu-central-1', endpoints: {} }
    const client = createKmsClient(settings, { region: 'us-west-2', profile: 'audit' })
    expect(await client.config.credentials()).toMatchObject({ accessKeyId: 'AUDITKEY' })
    client.destroy()
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()
  })

  test('limit the attempts and the time of every client', async () => {
    const settings = { region: 'eu-central-1', endpoints: {} }
    const { responseTimeoutMs, receiveWaitMs, blobResponseTimeoutMs } = awsLimits
    const kmsClient = createKmsClient(settings, { region: 'us-west-2' })
    const clients = [
      [createSqsClient(settings), responseTimeoutMs + receiveWaitMs],
      [createS3Client(settings), blobResponseTimeoutMs],
      [createUploadSigner(settings), blobResponseTimeoutMs],
      [createEcsClient(settings), responseTimeoutMs],
      [kmsClient, responseTimeoutMs],
    ] as const
    for (const [{ config }, timeoutMs] of clients) {
      expect(await config.maxAttempts()).toBe(4)
      expect(await readHandlerConfig(config.requestHandler as AwsHandler)).toMatchObject({
        connectionTimeout: awsLimits.connectTimeoutMs,
        requestTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        throwOnRequestTimeout: true,
      })
    }
    expect(await kmsClient.config.region()).toBe('us-west-2')
    expect(createClientConfig(settings, 'STS')).not.toHaveProperty('endpoint')
    for (const [client] of clients) client.destroy()
  })
})
