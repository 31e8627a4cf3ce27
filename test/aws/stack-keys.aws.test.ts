/** A local stack whose secrets are under a KMS key, used by the command line. */
import { CreateAliasCommand, CreateKeyCommand } from '@aws-sdk/client-kms'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createKmsClient } from '../../shared/platform/aws/clients.ts'
import {
  createSandbox,
  findFilesWith,
  type Sandbox,
  type CommandOutput,
  requireSuccess,
} from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'
import { describeWithServices } from './describe-with-services.ts'

const password = 'hunter-two-and-a-half'

describeWithServices('secrets of a stack under a key of KMS', ['KMS'], settings => {
  let sandbox: Sandbox
  afterEach(() => sandbox?.remove())

  test('are sealed in file and state, and opened for programs with the credentials of the process', {
    timeout: 240_000,
  }, async () => {
    const { region, endpoints } = settings()
    const kms = createKmsClient(settings(), region)
    const AliasName = `alias/antichain-${randomUUID()}`
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({}))
    await kms.send(new CreateAliasCommand({ AliasName, TargetKeyId: KeyMetadata?.KeyId }))
    kms.destroy()
    sandbox = createSandbox('shop')
    const env = { PULUMI_CONFIG_PASSPHRASE: undefined, ANTICHAIN_KMS_ENDPOINT: endpoints.KMS }
    const run = (...args: readonly string[]): Promise<CommandOutput> => sandbox.run(args, { env })
    const url = `awskms://${AliasName}?region=${region}`
    const absent = await run(
      'stack',
      'init',
      'dev',
      '--secrets-provider',
      url.replace('?', '-absent?'),
    )
    expect(absent.err).toContain('STORE_MISSING')
    requireSuccess(await run('stack', 'init', 'dev', '--secrets-provider', url))
    requireSuccess(await run('config', 'set', '--secret', 'password', password))
    const file = readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8')
    expect(file).toMatch(/^secretsprovider: awskms:\/\/alias\/.*\nencryptedkey: \S+\nconfig:\n/)
    expect(file).not.toContain(password)
    requireSuccess(await run('up', '--yes'))
    const exported = requireSuccess(await run('stack', 'export')).out
    expect(verifyExport(exported, { sealed: true })).toEqual([])
    expect(JSON.parse(exported)).toMatchObject({
      deployment: { secrets_providers: { type: 'cloud', state: { url } } },
    })
    expect(findFilesWith(sandbox.home, password)).toEqual([])
    const outputs = requireSuccess(await run('stack', 'output', '--json', '--show-secrets')).out
    expect(JSON.parse(outputs)).toMatchObject({ password })
    expect(requireSuccess(await run('config', 'get', 'password')).out.trim()).toBe(password)
    // Nothing changed: secrets that are sealed again compare as equal.
    expect(requireSuccess(await run('up', '--yes', '--skip-preview')).out).toMatch(/unchanged/)
    const away = await sandbox.run(['up', '--yes', '--skip-preview'], {
      env: { ...env, ANTICHAIN_KMS_ENDPOINT: 'http://127.0.0.1:9' },
    })
    expect([away.exit === 0, away.err]).toEqual([
      false,
      expect.stringContaining('STORE_UNAVAILABLE'),
    ])
    requireSuccess(await run('destroy', '--yes', '--skip-preview'))
    expect(sandbox.listObjects()).toEqual([])
  })
})
