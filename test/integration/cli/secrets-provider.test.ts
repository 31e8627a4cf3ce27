import { beforeEach, describe, expect, test } from 'vitest'
import type { StackId } from '../../../shared/records/ids.ts'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { signatureKey, signatures } from '../../../shared/values/wire-options.ts'
import { type CliBench, createCliBench } from './cli-bench.ts'

const dev = 'organization/site/dev' as StackId
const url = 'awskms://alias/site?region=eu-central-1'
const field = 'context_antichain-stack'
const keyUrlOf = (stack: string): string => `${url}&${field}=organization/site/${stack}`
// The bench has fake secrets managers. A ciphertext is `<salt>(<passphrase>:<text>)`, or with a key
// `<encrypted data key>(key:<text>)`. The encrypted data keys `bmV3` and `b2xk` are the words `new`
// and `old` in base64.

let bench: CliBench

const readFile = (name = 'dev'): string => bench.read(`Pulumi.${name}.yaml`)
const change = (provider: string) => bench.run('stack', 'change-secrets-provider', provider)

/** Returns a state of a stack with one secret output. */
function stateOf(provider: object, ciphertext: string): StoredDeployment {
  const outputs = { password: { [signatureKey]: signatures.secret, ciphertext } }
  const type = 'pulumi:pulumi:Stack'
  const urn = `urn:pulumi:dev::site::${type}::site-dev`
  return {
    manifest: { time: '', magic: '', version: '' },
    secrets_providers: provider as { readonly type: string },
    resources: [{ urn, custom: false, type, outputs }],
    metadata: {},
  }
}

const readState = () => {
  const { secrets_providers: provider, resources } = bench.states.get(dev) ?? {}
  return { provider, outputs: resources?.[0]?.['outputs'] }
}

beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
})

describe('stack change-secrets-provider', () => {
  beforeEach(async () => {
    await bench.run('config', 'set', '--secret', 'a', 'hush')
    await bench.run('config', 'set', '--secret', '--path', 'tree.leaf', 'leaf')
    await bench.run('config', 'set', 'plain', 'text')
    const salt = { type: 'passphrase', state: { salt: 'new-salt' } }
    bench.states.set(dev, stateOf(salt, 'new-salt(pass:"out")'))
  })

  test('encrypts configuration and state with a key, and back with a passphrase', async () => {
    expect(await change(url)).toMatchObject({ exit: 0 })
    expect(readFile()).toBe(
      `secretsprovider: ${keyUrlOf('dev')}\nencryptedkey: bmV3\nconfig:\n` +
        '  site:a:\n    secure: bmV3(key:hush)\n' +
        '  site:tree:\n    leaf:\n      secure: bmV3(key:leaf)\n  site:plain: text\n',
    )
    expect(readState()).toEqual({
      provider: { type: 'cloud', state: { url: keyUrlOf('dev'), encryptedkey: 'bmV3' } },
      outputs: { password: { [signatureKey]: signatures.secret, ciphertext: 'bmV3(key:"out")' } },
    })
    expect(await change('default')).toMatchObject({ exit: 0 })
    expect(readFile()).toMatch(/^encryptionsalt: new-salt\nconfig:\n {2}site:a:\n {4}secure: new-/)
    expect(readState().provider).toEqual({ type: 'passphrase', state: { salt: 'new-salt' } })
    expect((await bench.run('config', 'get', 'tree.leaf', '--path')).out).toBe('leaf\n')
  })

  test('reads a new passphrase from standard input, because the environment has the old one', async () => {
    bench.answers.push('next\nnext\n')
    expect(await change('passphrase')).toMatchObject({ exit: 0 })
    expect(readFile()).toContain('secure: new-salt(next:hush)')
    for (const input of ['', 'one\nother\n']) {
      const before = readFile()
      bench.answers.push(input)
      expect((await change('passphrase')).err).toMatch(/SECRETS_PASSPHRASE_(MISSING|WRONG)/)
      expect(readFile()).toBe(before)
    }
  })

  test('asks twice for a new passphrase in a terminal', async () => {
    bench.isTerminal = true
    bench.answers.push('next', 'next')
    expect(await change('passphrase')).toMatchObject({ exit: 0 })
    expect(readFile()).toContain('secure: new-salt(next:hush)')
  })

  test('changes nothing while a deployment runs, with an unknown provider, or without the key', async () => {
    const before = [readFile(), readState()]
    bench.busyStacks.add(dev)
    expect((await change(url)).err).toContain('STACK_BUSY')
    bench.busyStacks.clear()
    expect((await change('localkms://x')).err).toContain('FEATURE_MISSING')
    expect((await change('gcpkms://x')).err).toContain('SECRETS_URL_INVALID')
    expect((await change('awskms://alias/not-there')).err).toContain('SECRETS_KEY_MISSING')
    expect((await change('')).err).toContain('CLI_USAGE')
    expect([readFile(), readState()]).toEqual(before)
  })

  test('completes a change that was interrupted after the state was written', async () => {
    const before = readFile()
    await change(url)
    bench.write('Pulumi.dev.yaml', before)
    expect(await change(url)).toMatchObject({ exit: 0 })
    expect(readFile()).toContain('secure: bmV3(key:hush)')
    const output = await bench.run('stack', 'output', 'password', '--show-secrets')
    expect(output).toMatchObject({ exit: 0, out: 'out\n' })
  })

  test('replaces the data key of another stack, which other commands refuse', async () => {
    const secrets = `secretsprovider: ${keyUrlOf('old')}\nencryptedkey: b2xk\n`
    bench.write('Pulumi.dev.yaml', `${secrets}config:\n  site:a:\n    secure: b2xk(key:hush)\n`)
    const { err } = await bench.run('config', 'get', 'a')
    expect(err).toContain('SECRETS_STACK_DIFFERS')
    expect(err).toContain('antichain stack change-secrets-provider')
    expect(await change(keyUrlOf('old'))).toMatchObject({ exit: 0 })
    expect(readFile()).toContain(`secretsprovider: ${keyUrlOf('dev')}\n`)
    expect((await bench.run('config', 'get', 'a')).out).toBe('hush\n')
  })

  test('needs no old key for a stack without secrets', async () => {
    bench.write('Pulumi.dev.yaml', 'encryptionsalt: lost\nconfig:\n  site:plain: text\n')
    bench.states.delete(dev)
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = 'wrong'
    expect(await change(url)).toMatchObject({ exit: 0 })
    expect(readFile()).toBe(
      `secretsprovider: ${keyUrlOf('dev')}\nencryptedkey: bmV3\nconfig:\n  site:plain: text\n`,
    )
  })
})

describe('a data key', () => {
  test('whose encryption context names no stack, as with Pulumi, is opened on one machine', async () => {
    const secrets = `secretsprovider: ${url}\nencryptedkey: b2xk\n`
    bench.write('Pulumi.dev.yaml', `${secrets}config:\n  site:a:\n    secure: b2xk(key:hush)\n`)
    expect((await bench.run('config', 'get', 'a')).out).toBe('hush\n')
  })

  test('with the old name of a renamed stack is replaced by one with the new name', async () => {
    await change(url)
    await bench.run('config', 'set', '--secret', 'a', 'hush')
    expect(await bench.run('stack', 'rename', 'prod')).toMatchObject({ exit: 0 })
    expect(readFile('prod')).toContain(`secretsprovider: ${keyUrlOf('prod')}\n`)
    expect(bench.calls).toContain(`new data key under ${keyUrlOf('prod')}`)
  })
})
