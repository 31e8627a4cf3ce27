import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from './command-bench.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/backends')
let bench: CommandBench
let folder = ''
beforeEach(() => {
  bench = createCommandBench()
  folder = join(bench.root, 'state')
  cpSync(join(fixtures, 'project'), folder, { recursive: true })
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const migrate = (...args: string[]) => bench.run('stack', 'migrate', `file://${folder}`, ...args)
const read = (name: string): string => readFileSync(join(bench.root, name), 'utf8')
const write = (name: string, text: string): void => writeFileSync(join(bench.root, name), text)
const exportOf = async (stack: string): Promise<string> =>
  (await bench.run('stack', 'export', '-s', stack)).out

/** Returns every file of the source with its content. */
const readSource = (): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => [file, readFileSync(file, 'latin1')] as const)

describe('stack migrate', () => {
  test('asks before it copies one stack, and does not change the source', async () => {
    const before = readSource()
    const unconfirmed = await migrate('dev')
    expect(unconfirmed.exit).not.toBe(0)
    expect(unconfirmed.err).toMatch(/^PROJECT +STACK +RESOURCES/)
    expect(unconfirmed.err).toContain('--yes must be passed in')
    expect((await bench.run('stack', 'ls', '-a', '-j')).out).toBe('[]\n')
    const { exit, err } = await migrate('dev', '--yes')
    expect([exit, err]).toEqual([
      0,
      expect.stringContaining(
        'copied organization/shop/dev to organization/shop/dev. It did not change the source.',
      ),
    ])
    expect(readSource()).toEqual(before)
    const history = JSON.parse((await bench.run('stack', 'history', '-s', 'dev', '-j')).out)
    expect(history).toMatchObject([{ kind: 'import' }, { kind: 'refresh', version: 1 }])
    const outputs = await bench.run('stack', 'output', '-s', 'dev', '--show-secrets', '-j')
    expect(JSON.parse(outputs.out)).toMatchObject({ tok: 's3cr3t <&>' })
    expect((await bench.run('config', 'get', 'token', '-s', 'dev')).out).toBe('s3cr3t\n')
    expect((await migrate('dev', '--yes')).err).toContain('error[STACK_EXISTS]')
  })

  test('renames the URNs for --target, and gives the new file the values of the old one', async () => {
    await migrate('dev', '--yes')
    const file = read('Pulumi.dev.yaml')
    write('Pulumi.next.yaml', 'config:\n  shop:stale: 1\n')
    const { exit, err } = await migrate('shop/dev', '--target', 'next', '-y')
    expect([exit, err]).toEqual([0, expect.stringContaining('to organization/shop/next.')])
    expect(read('Pulumi.next.yaml')).toBe(file)
    expect(read('Pulumi.next.yaml.bak')).toContain('stale')
    expect(err).toMatch(/Kept the previous file as .*Pulumi\.next\.yaml\.bak/)
    const renamed = await exportOf('next')
    expect(renamed).toContain('urn:pulumi:next::shop::pulumi:pulumi:Stack::shop-next')
    expect(renamed).not.toContain('pulumi:dev::shop')
    const outputs = await bench.run('stack', 'output', '-s', 'next', '--show-secrets', '-j')
    expect(JSON.parse(outputs.out)).toMatchObject({ tok: 's3cr3t <&>' })
    const earlier = await bench.run('stack', 'export', '-s', 'next', '--version', '1')
    expect(earlier.out).toContain('urn:pulumi:next::shop::')
    expect(earlier.out).not.toContain('pulumi:dev::shop')
  })

  test('copies a stack to another backend in use, and refuses the same one', async () => {
    const other = join(bench.root, 'other')
    const address = `file://${other}?create_dir=true`
    expect((await bench.run('login', address)).exit).toBe(0)
    expect((await migrate('dev', '-y')).err).toContain('The command copied organization/shop/dev')
    const { checkpoint } = JSON.parse(
      readFileSync(join(other, '.pulumi/stacks/shop/dev.json'), 'utf8'),
    )
    const source = JSON.parse(readFileSync(join(folder, '.pulumi/stacks/shop/dev.json'), 'utf8'))
    expect(checkpoint.latest.resources).toEqual(source.checkpoint.latest.resources)
    const same = await bench.run('stack', 'migrate', address, 'dev', '--target', 'x', '-y')
    expect(same.err).toContain('the source and the backend in use are the same')
  })

  test('finds the stack by its name, and refuses invalid arguments', async () => {
    for (const [args, message] of [
      [[], 'the name of the stack is missing'],
      [['none'], "has no stack 'none'"],
      [['web/dev'], "has no stack 'web/dev'"],
      [['dev', '--secrets-provider', 'nonsense'], 'FEATURE_MISSING'],
      [['dev', '--target', 'a b'], 'STACK_NAME_INVALID'],
    ] as const)
      expect([args, (await migrate(...args, '-y')).err]).toEqual([
        args,
        expect.stringContaining(message),
      ])
    const address = `file://${folder}/shop/dev`
    expect((await bench.run('stack', 'migrate', address, '-y')).exit).toBe(0)
    const legacy = `file://${join(fixtures, 'legacy')}`
    expect((await bench.run('stack', 'migrate', legacy, 'old', '-y')).exit).toBe(0)
    expect(await exportOf('shop/old')).toContain('urn:pulumi:old::shop::')
  })

  test('encrypts with another secrets provider, and keeps the previous file', async () => {
    const vault = await startVault()
    try {
      await migrate('dev', '--yes')
      const file = read('Pulumi.dev.yaml')
      requireSuccess(await bench.run('stack', 'rm', 'dev', '--yes', '--force', '--preserve-config'))
      const args = ['dev', '--secrets-provider', 'hashivault://site', '-y'] as const
      const { err } = requireSuccess(await migrate(...args))
      expect(err).toMatch(/Kept the previous file as .*Pulumi\.dev\.yaml\.bak/)
      expect(read('Pulumi.dev.yaml.bak')).toBe(file)
      expect(read('Pulumi.dev.yaml')).toContain('secretsprovider: hashivault://site')
      delete bench.env['PULUMI_CONFIG_PASSPHRASE']
      expect((await bench.run('config', 'get', 'token', '-s', 'dev')).out).toBe('s3cr3t\n')
      const outputs = await bench.run('stack', 'output', '-s', 'dev', '--show-secrets', '-j')
      expect(JSON.parse(outputs.out)).toMatchObject({ tok: 's3cr3t <&>' })
      expect(await exportOf('dev')).not.toContain('v1:dsuSaU0Vgrfi1jb')
    } finally {
      vault.close()
    }
  })

  test('removes the new stack and restores the file when the secrets cannot be opened', async () => {
    const vault = await startVault()
    try {
      write('Pulumi.next.yaml', 'config:\n  shop:mine: 1\n')
      bench.env['PULUMI_CONFIG_PASSPHRASE'] = 'wrong'
      const args = ['dev', '--target', 'next', '--secrets-provider', 'hashivault://site', '-y']
      const { exit, err } = await migrate(...args)
      expect([exit === 0, err]).toEqual([
        false,
        expect.stringContaining('Removed organization/shop/next again'),
      ])
      expect(err).toContain('SECRETS_PASSPHRASE_WRONG')
      expect(read('Pulumi.next.yaml')).toBe('config:\n  shop:mine: 1\n')
      expect(existsSync(join(bench.root, 'Pulumi.next.yaml.bak'))).toBe(false)
      expect((await bench.run('stack', 'ls', '-a', '-j')).out).toBe('[]\n')
    } finally {
      vault.close()
    }
  })
})

/** Starts a fake of Vault's transit engine. Its ciphertexts contain the plaintext. */
async function startVault() {
  const answer = (text: string): object => {
    const { plaintext, ciphertext = '' } = JSON.parse(text) as Record<string, string | undefined>
    return plaintext === undefined
      ? { plaintext: ciphertext.replace('vault:v1:', '') }
      : { ciphertext: `vault:v1:${plaintext}` }
  }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => (text += String(chunk)))
    request.on('end', () => response.end(JSON.stringify({ data: answer(text) })))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  bench.env['VAULT_ADDR'] = `http://127.0.0.1:${port}`
  bench.env['VAULT_TOKEN'] = 'token'
  return server
}

/** Returns a successful result. Throws an error with the output of a failed one. */
function requireSuccess<Result extends { readonly exit: number; readonly err: string }>(
  result: Result,
): Result {
  if (result.exit !== 0) throw new Error(result.err)
  return result
}
