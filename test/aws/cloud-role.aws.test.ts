/**
 * A stack as docs/aws.md describes it: its secrets are under a KMS key, and bundled functions
 * deploy it with a role of its own. The key existed before the installation.
 */
import { CreateKeyCommand } from '@aws-sdk/client-kms'
import { randomBytes } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulatorCredentials } from '../../infra/emulators/emulators.ts'
import { type AwsSettings, createKmsClient } from '../../shared/platform/aws/clients.ts'
import { createKmsKeeper } from '../../shared/platform/aws/kms-key-keeper.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { listStoredBytes } from './list-stored-bytes.ts'
import { describeWithServices } from './describe-with-services.ts'
import { readSavedCredentials, saveCredentialsCode } from './saved-credentials.ts'
import { createStackFile, secretText } from './stack-file.ts'

const installation = `t${randomBytes(4).toString('hex')}`
/** The role of the stack. An installation may assume roles with its name only. */
const role = `arn:aws:iam::123456789012:role/${installation}-deploy-shop`

/** Returns a stack file with a data key that Pulumi created, which names no stack. */
async function createUnnamedFile(aws: AwsSettings, url: string, file: string): Promise<string> {
  const keeper = createKmsKeeper(aws)
  const encryptedKey = Buffer.from(await keeper.wrap(url, new Uint8Array(32))).toString('base64')
  keeper.close()
  return file
    .replace(/^secretsprovider: .*$/m, `secretsprovider: ${url}`)
    .replace(/^encryptedkey: .*$/m, `encryptedkey: ${encryptedKey}`)
}

describeWithServices(
  'a stack with a key and a role',
  ['DYNAMODB', 'SQS', 'S3', 'KMS', 'STS'],
  settings => {
    let bundles: CloudBundles
    let sandbox: CloudSandbox
    beforeAll(async () => {
      bundles = await createBundles()
      const kms = createKmsClient(settings(), settings())
      const { KeyMetadata } = await kms.send(new CreateKeyCommand({}))
      kms.destroy()
      sandbox = await createCloudSandbox('shop', {
        aws: settings(),
        bundleOf: bundles.findBundle,
        settings: {
          'antichain:installation': installation,
          'antichain:secretsKey': KeyMetadata?.Arn ?? '',
        },
        secretsKey: 'of the installation',
        config: { 'antichain:role': role },
        variables: { PULUMI_CONFIG_PASSPHRASE: '' },
      })
    })
    afterAll(async () => {
      await sandbox?.remove()
      bundles?.remove()
    }, 120_000)

    test('is deployed by functions, whose credentials its program does not receive', {
      timeout: 400_000,
    }, async () => {
      appendFileSync(join(sandbox.program, 'index.js'), saveCredentialsCode)
      const program = await sandbox.upload({ STEP: '1' })
      const end = await sandbox.deploy('up', program, 240_000)
      expect(end.result, await sandbox.readDiagnostics(end.deployment)).toBe('succeeded')
      const exported = await sandbox.exportState()
      expect(exported).not.toContain(secretText)
      expect(JSON.parse(exported)).toMatchObject({
        deployment: { secrets_providers: { type: 'cloud' } },
      })
      const { found, credentials: roleCredentials } = readSavedCredentials(sandbox.cloudFolder)
      expect(Object.keys(found).toSorted()).toEqual([
        'AWS_CONTAINER_AUTHORIZATION_TOKEN',
        'AWS_CONTAINER_CREDENTIALS_FULL_URI',
        'AWS_REGION',
      ])
      expect(roleCredentials).toMatchObject({
        AccessKeyId: expect.stringMatching(/^ASIA/),
        Token: expect.any(String),
      })
      expect(JSON.stringify(roleCredentials)).not.toContain(
        emulatorCredentials.AWS_SECRET_ACCESS_KEY,
      )
      expect(Date.parse(roleCredentials.Expiration)).toBeGreaterThan(Date.now() + 20 * 60_000)
      const hidden = [secretText, roleCredentials.SecretAccessKey, roleCredentials.Token]
      for (const text of hidden) expect(sandbox.readLog()).not.toContain(text)
      const stored = await listStoredBytes(settings(), sandbox.cloud.services)
      expect(stored.length).toBeGreaterThan(10)
      const leaked = stored.filter(({ bytes }) => hidden.some(text => bytes.includes(text)))
      expect(leaked.map(({ location }) => location)).toEqual([])
    })

    test('is refused if its file has the data key of another stack, or of none', {
      timeout: 400_000,
    }, async () => {
      const file = join(sandbox.program, 'Pulumi.dev.yaml')
      const ownFile = readFileSync(file, 'utf8')
      const other = stackIdOf('shop', 'other')
      const { keyUrl } = sandbox
      const otherFile = await createStackFile(other, { aws: settings(), keyUrl })
      const unnamedFile = await createUnnamedFile(settings(), keyUrl, ownFile)
      const snapshot = await sandbox.exportState()
      for (const [text, code] of [
        [otherFile, 'SECRETS_STACK_DIFFERS'],
        [otherFile.replace(other, sandbox.stack), 'SECRETS_MALFORMED'],
        [unnamedFile, 'SECRETS_STACK_MISSING'],
      ] as const) {
        writeFileSync(file, text)
        const program = await sandbox.upload({ STEP: '2' })
        await expect(sandbox.deploy('up', program, 240_000)).rejects.toThrow(code)
      }
      expect(await sandbox.exportState()).toBe(snapshot)
      writeFileSync(file, ownFile)
      const end = await sandbox.deploy('up', await sandbox.upload({ STEP: '1' }), 240_000)
      expect(end.result).toBe('succeeded')
    })
  },
)
