/** Changes of the secrets provider of a local stack, between KMS keys and passphrases. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox, type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createKeyUrl } from './create-key-url.ts'
import { describeWithServices } from './describe-with-services.ts'

const password = 'hunter-two-and-a-half'

describeWithServices('secrets of a stack under a key of KMS', ['KMS'], settings => {
  let sandbox: Sandbox
  afterEach(() => sandbox?.remove())

  test('survive each change of the secrets provider, and a change that was interrupted', {
    timeout: 400_000,
  }, async () => {
    const [firstKey, secondKey] = [await createKeyUrl(settings()), await createKeyUrl(settings())]
    sandbox = createSandbox('shop')
    let passphrase: string | undefined = 'one'
    const run = (args: readonly string[], input?: string): Promise<CommandOutput> =>
      sandbox.run(args, {
        env: {
          PULUMI_CONFIG_PASSPHRASE: passphrase,
          ANTICHAIN_KMS_ENDPOINT: settings().endpoints.KMS,
        },
        ...(input === undefined ? {} : { input }),
      })
    const runAll = async (...commands: readonly string[]): Promise<void> => {
      for (const command of commands) requireSuccess(await run(command.split(' ')))
    }
    const file = join(sandbox.program, 'Pulumi.dev.yaml')
    const expectSameSecrets = async (): Promise<void> => {
      const outputs = requireSuccess(await run('stack output --json --show-secrets'.split(' '))).out
      expect(JSON.parse(outputs)).toMatchObject({ password })
      expect(requireSuccess(await run(['config', 'get', 'password'])).out.trim()).toBe(password)
      requireSuccess(await run('preview --expect-no-changes'.split(' ')))
      const exported = requireSuccess(await run(['stack', 'export'])).out
      expect(verifyExport(exported, { sealed: true })).toEqual([])
      expect(readFileSync(file, 'utf8') + exported).not.toContain(password)
    }
    await runAll('stack init dev', `config set --secret password ${password}`, 'up --yes')
    await runAll(`stack change-secrets-provider ${firstKey}`)
    passphrase = undefined
    await expectSameSecrets()
    const underFirstKey = readFileSync(file, 'utf8')
    await runAll(`stack change-secrets-provider ${secondKey}`)
    expect(readFileSync(file, 'utf8')).not.toContain(firstKey)
    await expectSameSecrets()
    // As after a kill of the command between the state and the file: the file has the first key.
    writeFileSync(file, underFirstKey)
    await runAll(`stack change-secrets-provider ${secondKey}`)
    await expectSameSecrets()
    // A deployment after such a kill encrypts the state again with the key of the file.
    writeFileSync(file, underFirstKey)
    await runAll('up --yes')
    expect(readFileSync(file, 'utf8')).toContain(firstKey)
    await expectSameSecrets()
    passphrase = 'two'
    await runAll('stack change-secrets-provider passphrase')
    await expectSameSecrets()
    const underSecondPassphrase = readFileSync(file, 'utf8')
    const rotate = 'stack change-secrets-provider passphrase'.split(' ')
    requireSuccess(await run(rotate, 'three\n'))
    // As after a kill during the rotation: the file is still under the second passphrase.
    writeFileSync(file, underSecondPassphrase)
    requireSuccess(await run(rotate, 'three\n'))
    passphrase = 'three'
    await expectSameSecrets()
    passphrase = 'two'
    const refused = await run(['config', 'get', 'password'])
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringContaining('[SECRETS_PASSPHRASE_WRONG]'),
    ])
  })
})
