/** Local stacks whose secrets are encrypted under KMS keys, used by the command line. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findFilesWith } from '../e2e/find-files-with.ts'
import { createSandbox, type Sandbox, type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createKeyUrl } from './create-key-url.ts'
import { describeWithServices } from './describe-with-services.ts'

const password = 'hunter-two-and-a-half'

describeWithServices('secrets of a stack under a key of KMS', ['KMS'], settings => {
  let sandbox: Sandbox
  afterEach(() => sandbox?.remove())

  test('are sealed in file and state, and opened for programs with the credentials of the process', {
    timeout: 240_000,
  }, async () => {
    const { endpoints } = settings()
    const url = await createKeyUrl(settings())
    sandbox = createSandbox('shop')
    const env = { PULUMI_CONFIG_PASSPHRASE: undefined, ANTICHAIN_KMS_ENDPOINT: endpoints.KMS }
    const run = (...args: readonly string[]): Promise<CommandOutput> => sandbox.run(args, { env })
    const absent = await run(
      'stack',
      'init',
      'dev',
      '--secrets-provider',
      url.replace('?', '-absent?'),
    )
    expect(absent.err).toContain('SECRETS_KEY_MISSING')
    requireSuccess(await run('stack', 'init', 'dev', '--secrets-provider', url))
    requireSuccess(await run('config', 'set', '--secret', 'password', password))
    const file = readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8')
    expect(file).toMatch(/^secretsprovider: awskms:\/\/alias\/.*\nencryptedkey: \S+\nconfig:\n/)
    expect(file).not.toContain(password)
    requireSuccess(await run('up', '--yes'))
    const exported = requireSuccess(await run('stack', 'export')).out
    expect(verifyExport(exported, { sealed: true })).toEqual([])
    const namedUrl = `${url}&context_antichain-stack=organization/shop/dev`
    expect(JSON.parse(exported)).toMatchObject({
      deployment: { secrets_providers: { type: 'cloud', state: { url: namedUrl } } },
    })
    expect(findFilesWith(sandbox.home, password)).toEqual([])
    const outputs = requireSuccess(await run('stack', 'output', '--json', '--show-secrets')).out
    expect(JSON.parse(outputs)).toMatchObject({ password })
    expect(requireSuccess(await run('config', 'get', 'password')).out.trim()).toBe(password)
    // Nothing changed: secrets that are sealed again compare as equal.
    expect(requireSuccess(await run('up', '--yes', '--skip-preview')).out).toMatch(/unchanged/)
    const unreachable = await sandbox.run(['up', '--yes', '--skip-preview'], {
      env: { ...env, ANTICHAIN_KMS_ENDPOINT: 'http://127.0.0.1:9' },
    })
    expect([unreachable.exit === 0, unreachable.err]).toEqual([
      false,
      expect.stringContaining('STORE_UNAVAILABLE'),
    ])
    requireSuccess(await run('destroy', '--yes', '--skip-preview'))
    expect(sandbox.listObjects()).toEqual([])
  })

  test('are refused under the data key of another stack, and follow a rename', {
    timeout: 240_000,
  }, async () => {
    const url = await createKeyUrl(settings())
    sandbox = createSandbox('shop')
    const env = {
      PULUMI_CONFIG_PASSPHRASE: undefined,
      ANTICHAIN_KMS_ENDPOINT: settings().endpoints.KMS,
    }
    const run = (command: string): Promise<CommandOutput> =>
      sandbox.run(command.split(' '), { env })
    for (const stack of ['dev', 'prod'])
      requireSuccess(await run(`stack init ${stack} --secrets-provider ${url}`))
    requireSuccess(await run(`config set --secret password ${password} --stack dev`))
    const file = join(sandbox.program, 'Pulumi.prod.yaml')
    const [devFile, prodFile] = [
      readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8'),
      readFileSync(file, 'utf8'),
    ]
    writeFileSync(file, devFile)
    const copied = await run('config get password --stack prod')
    expect([copied.exit === 0, copied.out]).toEqual([false, ''])
    expect(copied.err).toContain('SECRETS_STACK_DIFFERS')
    // KMS authenticates the name: the data key does not open under the name of another stack.
    writeFileSync(file, devFile.replace('/shop/dev', '/shop/prod'))
    expect((await run('config get password --stack prod')).err).toContain('SECRETS_MALFORMED')
    writeFileSync(file, prodFile)
    requireSuccess(await run('up --yes --skip-preview --stack dev'))
    requireSuccess(await run('stack rename stage --stack dev'))
    expect(readFileSync(join(sandbox.program, 'Pulumi.stage.yaml'), 'utf8')).toContain(
      'context_antichain-stack=organization/shop/stage\n',
    )
    const outputs = requireSuccess(
      await run('stack output --json --show-secrets --stack stage'),
    ).out
    expect(JSON.parse(outputs)).toMatchObject({ password })
    requireSuccess(await run('preview --expect-no-changes --stack stage'))
  })
})
