import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StackId } from '../../../shared/records/ids.ts'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { selectStack } from '../../../cli/stack/selected-stack.ts'
import { type CliBench, createCliBench } from './cli-bench.ts'

const dev = 'organization/site/dev' as StackId
const urn = 'urn:pulumi:dev::site::a:b:C::x'

let bench: CliBench

beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
})

function stateOf(resources: readonly object[], more: object = {}): StoredDeployment {
  return {
    manifest: { time: '', magic: '', version: '' },
    metadata: {},
    resources,
    ...more,
  } as StoredDeployment
}

describe('stacks', () => {
  test('init creates a stack with a salt, selects it, and refuses a second one', async () => {
    expect(bench.read('Pulumi.dev.yaml')).toBe('encryptionsalt: new-salt\n')
    expect(await bench.run('stack', '--show-name')).toMatchObject({ exit: 0, out: 'dev\n' })
    expect(await bench.run('stack', 'init', 'dev')).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/^error\[STACK_EXISTS\].*\n {2}hint: /),
    })
    expect((await bench.run('stack', 'init', 'a b')).exit).toBe(1)
    expect((await bench.run('stack', 'init')).err).toMatch(/CLI_USAGE/)
  })

  test('init without a passphrase leaves the salt to the first secret', async () => {
    delete bench.env['PULUMI_CONFIG_PASSPHRASE']
    expect((await bench.run('stack', 'init', 'later')).exit).toBe(0)
    expect(existsSync(join(bench.root, 'Pulumi.later.yaml'))).toBe(false)
    expect(await bench.run('config', 'set', '--secret', 'k', 'v', '-s', 'later')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('SECRETS_PASSPHRASE_MISSING'),
    })
    bench.isTerminal = true
    bench.answers.push('mine', 'mine')
    expect((await bench.run('config', 'set', '--secret', 'k', 'v', '-s', 'later')).exit).toBe(0)
    expect(bench.read('Pulumi.later.yaml')).toContain('new-salt(mine:v)')
  })

  test('ls omits a stack that is removed while the list is read', async () => {
    expect((await bench.run('stack', 'init', 'old')).exit).toBe(0)
    bench.removedStacks.add('organization/site/old' as StackId)
    const listed = await bench.run('stack', 'ls', '--json')
    expect(listed).toMatchObject({ exit: 0, err: '' })
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'dev' }])
  })

  test('export accepts a moment, and refuses an invalid one', async () => {
    bench.states.set(dev, stateOf([]))
    expect((await bench.run('stack', 'export', '--at', '3:17')).exit).toBe(0)
    expect((await bench.run('stack', 'export', '--at', '2026-01-31T12:00:00Z')).exit).toBe(0)
    expect(bench.calls.filter(call => call.startsWith('export at'))).toEqual([
      'export at {"kind":"lamport","deployment":3,"lamport":17}',
      'export at {"kind":"time","timeMs":1769860800000}',
    ])
    for (const args of [['yesterday'], ['3:17', '--version', '2']])
      expect((await bench.run('stack', 'export', '--at', ...args)).err).toMatch(/CLI_USAGE/)
  })

  test('prune reports the removed records; with --dry-run the removable ones', async () => {
    const { out, err } = await bench.run('stack', 'prune', '--dry-run')
    expect(out).toContain('DEPLOYMENTS')
    expect(out).toMatch(/organization\/site\/dev +1 +1, 2/)
    expect(err).toMatch(/^Would remove the records of 1 deployments and 2 blobs/)
    expect(JSON.parse((await bench.run('stack', 'prune', '--all', '--json')).out)).toMatchObject({
      dryRun: false,
      blobs: { removed: 2 },
    })
    expect(bench.calls.filter(call => call.startsWith('prune'))).toEqual([
      `prune {"stack":"${dev}","dryRun":true}`,
      'prune {"dryRun":false}',
    ])
  })

  test('ls marks the selected stack, also in JSON', async () => {
    await bench.run('stack', 'init', 'prod', '--no-select')
    const { out } = await bench.run('stack', 'ls')
    expect(out).toBe(
      'NAME  LAST UPDATE\ndev*  1970-01-01T00:00:01.000Z\nprod  1970-01-01T00:00:01.000Z\n',
    )
    expect((await bench.run('stack', 'ls', '-C', '/')).out).toContain('organization/site/prod')
    expect(JSON.parse((await bench.run('stack', 'ls', '--json')).out)).toMatchObject([
      { name: 'dev', current: true, updateInProgress: false },
      { name: 'prod', current: false },
    ])
  })

  test('ls marks a selected stack whose stored name has a project, as after its rename', async () => {
    selectStack(join(bench.root, 'home'), join(bench.root, 'Pulumi.yaml'), dev)
    expect((await bench.run('stack', 'ls')).out).toContain('dev*')
  })

  test('the stack is that of --stack, otherwise PULUMI_STACK, otherwise the selected one', async () => {
    await bench.run('stack', 'select', '--create', 'two')
    bench.env['PULUMI_STACK'] = 'three'
    expect((await bench.run('stack', '--show-name', '-s', 'one')).out).toBe('one\n')
    expect((await bench.run('stack', '--show-name')).out).toBe('three\n')
    expect((await bench.run('up', '-y')).err).toMatch(/^error\[STACK_NOT_FOUND\].*'three'/)
    delete bench.env['PULUMI_STACK']
    expect((await bench.run('stack', '--show-name')).out).toBe('two\n')
    expect((await bench.run('stack', 'select', 'none')).exit).toBe(6)
    await bench.run('stack', 'rm', '-y')
    expect(await bench.run('up', '-y')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('STACK_NOT_SELECTED'),
    })
  })

  test('up creates a named stack in a terminal, and keeps the selected one', async () => {
    bench.isTerminal = true
    bench.answers.push('n')
    expect((await bench.run('up', '-y', '-s', 'two')).err).toContain('STACK_NOT_FOUND')
    bench.answers.push('y')
    expect((await bench.run('up', '-y', '-s', 'two')).err).toContain("Created stack 'two'.")
    bench.answers.splice(0, Infinity, 'y')
    const watched = await bench.run('watch', '-s', 'three', '--path', 'missing')
    expect(watched.err).toMatch(/Created stack 'three'[^]*CLI_USAGE/)
    expect((await bench.run('stack', '--show-name')).out).toBe('dev\n')
  })

  test('up lets the user choose a stack in a terminal, or create one, and selects it', async () => {
    bench.isTerminal = true
    await bench.run('stack', 'unselect')
    bench.answers.push('', 'typo', 'dev', '<create a new stack>', 'three')
    expect((await bench.run('up', '-y')).err).toContain('STACK_NOT_SELECTED')
    expect((await bench.run('up', '-y')).err).toContain('STACK_NOT_FOUND')
    expect((await bench.run('preview')).exit).toBe(0)
    expect((await bench.run('stack', '--show-name')).out).toBe('dev\n')
    await bench.run('stack', 'unselect')
    const created = await bench.run('up', '-y', '--secrets-provider', 'passphrase')
    expect([created.exit, created.err]).toEqual([0, expect.stringContaining("stack 'three'")])
    expect(bench.requests.at(-1)).toMatchObject({ stack: 'organization/site/three' })
    expect((await bench.run('stack', '--show-name')).out).toBe('three\n')
  })

  test('refresh offers to create a stack as in Pulumi, and destroy does not', async () => {
    bench.isTerminal = true
    bench.answers.push('y')
    expect((await bench.run('destroy', '-y', '-s', 'two')).err).toContain('STACK_NOT_FOUND')
    expect((await bench.run('refresh', '-y', '-s', 'two')).err).toContain("Created stack 'two'.")
  })

  test('rm requires an empty stack and a confirmation, and removes the configuration file', async () => {
    bench.states.set(dev, stateOf([{ urn, type: 'a:b:C', custom: true }]))
    expect((await bench.run('stack', 'rm', 'dev')).exit).toBe(1)
    expect((await bench.run('stack', 'rm', 'dev', '-y')).err).toMatch(/STACK_NOT_EMPTY/)
    bench.busyStacks.add(dev)
    expect((await bench.run('stack', 'rm', 'dev', '-y', '--force')).err).toMatch(/STACK_BUSY/)
    bench.busyStacks.clear()
    bench.isTerminal = true
    bench.answers.push('no', 'dev')
    expect((await bench.run('stack', 'rm', 'dev', '--force')).err).toMatch(/CONFIRMATION_DECLINED/)
    expect((await bench.run('stack', 'rm', 'dev', '--force')).exit).toBe(0)
    expect(existsSync(join(bench.root, 'Pulumi.dev.yaml'))).toBe(false)
  })

  test('rm refuses a stack with pending creates, which only its state names', async () => {
    const resource = { urn, type: 'a:b:C', custom: true }
    bench.states.set(dev, stateOf([], { pending_operations: [{ resource, type: 'creating' }] }))
    expect((await bench.run('stack', 'rm', 'dev', '-y')).err).toContain(`pending creates: ${urn}`)
    bench.states.set(dev, stateOf([], { pending_operations: [{ resource, type: 'deleting' }] }))
    expect((await bench.run('stack', 'rm', 'dev', '-y')).exit).toBe(0)
  })

  test('output prints secrets only on request', async () => {
    const secret = {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      ciphertext: 's(pass:"hush")',
    }
    const outputs = { url: 'http://x', list: [1, secret] }
    const root = { urn, type: 'pulumi:pulumi:Stack', custom: false, outputs }
    const secrets_providers = { type: 'passphrase', state: { salt: 's' } }
    bench.states.set(dev, stateOf([root], { secrets_providers }))
    const readJson = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse((await bench.run('stack', 'output', '--json', ...args)).out)
    expect(await readJson()).toEqual({ url: 'http://x', list: [1, '[secret]'] })
    expect(await readJson('--show-secrets')).toEqual({ url: 'http://x', list: [1, 'hush'] })
    expect((await bench.run('stack', 'output', 'url')).out).toBe('http://x\n')
    expect((await bench.run('stack', 'output', 'none')).err).toMatch(/OUTPUT_MISSING/)
    expect((await bench.run('stack', 'output')).out).toContain('list    [1,"[secret]"]')
  })

  test('a shell reads unchanged values from the outputs that --shell prints', async () => {
    const outputs = { url: "it's $HOME", 'no-name': 1, list: [1, 'a b'], empty: '' }
    const root = { urn, type: 'pulumi:pulumi:Stack', custom: false, outputs }
    bench.states.set(dev, stateOf([root]))
    const { out, err } = await bench.run('stack', 'output', '--shell')
    expect(err).toContain("the output 'no-name': it is not a valid name of a shell variable")
    const script = `set -eu\n${out}printf '%s\\n' "$url" "$list" "[$empty]"`
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(
      'it\'s $HOME\n[1,"a b"]\n[]\n',
    )
    expect((await bench.run('stack', 'output', 'list', '--shell')).out).toBe(`list='[1,"a b"]'\n`)
    expect((await bench.run('stack', 'output', 'no-name', '--shell')).err).toMatch(/CLI_USAGE/)
    expect((await bench.run('stack', 'output', '--shell', '--json')).err).toMatch(/CLI_USAGE/)
  })

  test('history is a table, or JSON in the form of Pulumi', async () => {
    expect((await bench.run('stack', 'history')).out).toMatch(
      /^NUMBER .* BY +APPROVED +MESSAGE\n1 +update .* ada +bob, 1970-01-01T00:00:00.000Z +first\n$/,
    )
    expect(JSON.parse((await bench.run('stack', 'history', '--json')).out)).toMatchObject([
      {
        version: 1,
        kind: 'update',
        by: 'ada',
        approval: { by: 'bob', at: '1970-01-01T00:00:00.000Z', note: 'checked' },
        result: 'succeeded',
        resourceChanges: { create: 2 },
      },
    ])
  })
})

describe('a key of KMS', () => {
  const url = 'awskms://alias/site?region=eu-central-1'
  const fileOf = (name: string): string => bench.read(`Pulumi.${name}.yaml`)

  test('init creates a data key under the KMS key, and stores the data key in the stack file', async () => {
    const { exit } = await bench.run('stack', 'init', 'prod', '--secrets-provider', url)
    const provider = `${url}&context_antichain-stack=organization/site/prod`
    expect([exit, fileOf('prod')]).toEqual([
      0,
      `secretsprovider: ${provider}\nencryptedkey: bmV3\n`,
    ])
    expect(bench.calls).toContain(`new data key under ${provider}`)
    await bench.run('config', 'set', '--secret', 'a', 'hush', '--stack', 'prod')
    expect(fileOf('prod')).toContain(`secure: bmV3(key:hush)`)
    expect((await bench.run('config', 'get', 'a', '--stack', 'prod')).out).toBe('hush\n')
  })

  test('that is unknown, because neither stack file nor state names it, is not replaced if the file has encrypted values', async () => {
    const text = 'config:\n  site:a:\n    secure: AZhTqCGEB5ZZZY+N\n'
    bench.write('Pulumi.prod.yaml', text)
    expect((await bench.run('stack', 'init', 'prod')).exit).toBe(0)
    for (const args of [
      ['get', 'a'],
      ['set', '--secret', 'b', 'hush'],
    ]) {
      const { err } = await bench.run('config', ...args, '--stack', 'prod')
      expect(err).toContain('SECRETS_PROVIDER_CHANGED')
      expect(err).toContain('Import the state of the stack first')
    }
    expect(fileOf('prod')).toBe(text)
  })

  test('that cannot be used, or is of an unknown kind, creates no stack', async () => {
    const gone = 'awskms://alias/not-there'
    const init = (name: string, provider: string) =>
      bench.run('stack', 'init', name, '--secrets-provider', provider)
    expect((await init('prod', gone)).err).toContain('SECRETS_KEY_MISSING')
    expect((await init('prod', 'localkms://x')).err).toContain('FEATURE_MISSING')
    expect((await init('prod', 'hashivault://x?y=1')).err).toContain('SECRETS_URL_INVALID')
    expect((await bench.run('stack', 'ls')).out).not.toContain('prod')
    // The existing stack file has a salt, whose secrets would be lost.
    bench.write('Pulumi.old.yaml', 'encryptionsalt: v1:a:b\n')
    expect((await init('old', url)).err).toContain('SECRETS_PROVIDER_CHANGED')
    expect(fileOf('old')).toBe('encryptionsalt: v1:a:b\n')
  })

  test('a stack without a file uses the key of its state, and a file with another key is refused', async () => {
    const secrets_providers = { type: 'cloud', state: { url, encryptedkey: 'b2xk' } }
    bench.states.set(dev, stateOf([], { secrets_providers }))
    rmSync(join(bench.root, 'Pulumi.dev.yaml'), { force: true })
    await bench.run('config', 'set', '--secret', 'a', 'hush')
    expect(fileOf('dev')).toContain(`secretsprovider: ${url}\nencryptedkey: b2xk\n`)
    await bench.run('stack', 'export', '--file', 'out.json', '--show-secrets')
    expect(bench.read('out.json')).toContain('plaintext')
    bench.write('Pulumi.dev.yaml', 'secretsprovider: awskms://alias/other\n')
    const { err } = await bench.run('config', 'set', '--secret', 'a', 'hush')
    expect(err).toContain('SECRETS_PROVIDER_CHANGED')
  })
})

describe('states', () => {
  test('export prints an empty envelope for a stack that was never deployed', async () => {
    expect((await bench.run('stack', 'export')).out).toBe('{"version":3,"deployment":null}\n')
    expect((await bench.run('stack', 'export', '--version', '3')).exit).toBe(1)
  })

  test('export writes a file, and includes secrets in plaintext on request', async () => {
    const secrets_providers = { type: 'passphrase', state: { salt: 's' } }
    bench.states.set(dev, stateOf([], { secrets_providers }))
    await bench.run('stack', 'export', '--file', 'out.json', '--show-secrets')
    expect(JSON.parse(bench.read('out.json'))).toMatchObject({
      deployment: { metadata: { secrets: 'plaintext' } },
    })
  })

  test('import seals with the manager of the stack and drops pending operations with a warning', async () => {
    const resource = { urn, type: 'a:b:C', custom: true }
    const deployment = stateOf([resource], { pending_operations: [{ resource, type: 'creating' }] })
    bench.write('in.json', JSON.stringify({ version: 3, deployment }))
    const { exit, err } = await bench.run('stack', 'import', '--file', 'in.json')
    expect(exit).toBe(0)
    expect(err).toMatch(/^warning: .*'creating'.*x/)
    expect(bench.states.get(dev)).toMatchObject({
      secrets_providers: { type: 'passphrase', state: { salt: 'new-salt' } },
      metadata: { secrets: 'kept' },
    })
  })

  test('import warns about pending operations in the state that it replaces', async () => {
    const resource = { urn, type: 'a:b:C', custom: true }
    bench.states.set(dev, stateOf([], { pending_operations: [{ resource, type: 'creating' }] }))
    bench.answers.push(JSON.stringify({ version: 3, deployment: stateOf([resource]) }))
    const { err } = await bench.run('stack', 'import')
    const warning = `the pending operation 'creating' of ${urn} was removed`
    expect(err.split(warning)).toHaveLength(2)
  })

  test('import refuses a foreign, broken or service-sealed state and keeps the current one', async () => {
    const importState = async (deployment: object, ...args: readonly string[]): Promise<string> => {
      bench.answers.push(JSON.stringify({ version: 3, deployment }))
      return (await bench.run('stack', 'import', ...args)).err
    }
    const foreign = stateOf([{ urn: urn.replace(':dev:', ':prod:'), type: 'a:b:C', custom: true }])
    expect(await importState(foreign)).toMatch(/STATE_FOREIGN/)
    expect(await importState(stateOf([{ urn, type: '', custom: true }]))).toMatch(/STATE_INTEGRITY/)
    const secret = {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      ciphertext: 'c',
    }
    const sealed = { urn, type: 'a:b:C', custom: true, inputs: { secret } }
    expect(
      await importState(stateOf([sealed], { secrets_providers: { type: 'vault', state: {} } })),
    ).toMatch(/SECRETS_MANAGER_UNSUPPORTED.*'vault'/)
    expect(
      await importState(stateOf([sealed], { secrets_providers: { type: 'service', state: {} } })),
    ).toContain('SECRETS_MALFORMED')
    expect(bench.states.size).toBe(0)
    expect(await importState(foreign, '--force')).toMatch(/^warning: /)
    const nameless = stateOf([{ urn: 'a' as never, type: 'a:b:C', custom: true }])
    expect(await importState(nameless, '--force')).toMatch(/STATE_INVALID.*'a'/)
    expect(bench.states.size).toBe(1)
    expect((await bench.run('stack', 'import', '--file', 'none')).err).toMatch(/FILE_UNREADABLE/)
  })

  test('cancel calls the engine and reports whether a deployment existed', async () => {
    bench.busyStacks.add(dev)
    expect((await bench.run('cancel', '-y')).err).toContain('was cancelled')
    expect((await bench.run('cancel', '-y', 'dev')).err).toContain('No deployment')
    expect((await bench.run('cancel')).err).toMatch(/CLI_USAGE/)
  })

  test('redrive reports the number of repeated operations', async () => {
    expect((await bench.run('redrive')).err).toContain('No deployment')
    bench.busyStacks.add(dev)
    expect((await bench.run('redrive', 'dev')).err).toContain('Retrying 2 operations')
  })
})
