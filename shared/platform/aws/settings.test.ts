import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import {
  readAwsSettings,
  createClientConfig,
  createKmsClient,
  createS3Client,
  createSqsClient,
} from './clients.ts'

const errorWithCode = (code: string) => expect.objectContaining({ code })

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
    const clients = [
      createSqsClient(settings),
      createS3Client(settings),
      createKmsClient(settings, { region: 'us-west-2' }),
    ]
    for (const { config } of clients) {
      expect(await config.maxAttempts()).toBe(4)
      // The handler resolves its own configuration with the first request, so only its existence is
      // checked.
      expect(config.requestHandler).toBeDefined()
    }
    expect(await clients[2]?.config.region()).toBe('us-west-2')
    expect(createClientConfig(settings, 'STS')).not.toHaveProperty('endpoint')
    for (const client of clients) client.destroy()
  })
})
