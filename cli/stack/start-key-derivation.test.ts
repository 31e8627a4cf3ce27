import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeLogin } from '../remote/saved-login.ts'
import type { Tools } from '../session/tools.ts'
import { selectStack } from './selected-stack.ts'
import { startKeyDerivation } from './start-key-derivation.ts'

let folder: string
let home: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-derivation-'))
  home = join(folder, 'home')
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: shop\nruntime: yaml\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the derivation, and returns the opened pairs of salt and passphrase. */
async function collectOpened({
  args = ['up', '--stack', 'dev'],
  passphrase = 'secret',
  variables = {},
  cwd = folder,
}: {
  readonly args?: readonly string[]
  readonly passphrase?: string | null
  readonly variables?: Readonly<Record<string, string>>
  readonly cwd?: string
} = {}): Promise<readonly string[][]> {
  const openedPairs: string[][] = []
  const tools = {
    loadSecrets: async () => ({
      readPassphrase: async () => passphrase ?? undefined,
      openWithPassphrase: (...pair: string[]) => {
        openedPairs.push(pair)
        return Promise.reject(new Error('incorrect passphrase'))
      },
    }),
  } as unknown as Tools
  await startKeyDerivation(args, { cwd, env: { ANTICHAIN_HOME: home, ...variables } }, tools)
  return openedPairs
}

const writeStackFile = (text: string, stack = 'dev'): void =>
  writeFileSync(join(folder, `Pulumi.${stack}.yaml`), text)

test.each([
  ['plain', 'config:\n  shop:a: b\nencryptionsalt: v1:a:b:c\n'],
  ['quoted', "encryptionsalt: 'v1:a:b:c'\n"],
])('a derivation starts with the %s salt of the stack file', async (_name, text) => {
  writeStackFile(text)
  expect(await collectOpened()).toEqual([['v1:a:b:c', 'secret']])
})

test.each([
  ['--stack dev', { args: ['up', '--stack', 'dev'] }],
  ['--stack=shop/dev', { args: ['up', '--yes', '--stack=shop/dev'] }],
  ['the last -s', { args: ['up', '-s', 'prod', '-s', 'dev', '--yes'] }],
  ['PULUMI_STACK', { args: ['up'], variables: { PULUMI_STACK: 'dev' } }],
  ['the selected stack', { args: ['up'] }],
])('the stack is that of %s', async (_name, options) => {
  selectStack(home, join(folder, 'Pulumi.yaml'), 'dev')
  writeStackFile('encryptionsalt: v1:a:b:c\n')
  writeStackFile('encryptionsalt: v1:x:y:z\n', 'prod')
  expect(await collectOpened(options)).toEqual([['v1:a:b:c', 'secret']])
})

test('the project is that of --cwd, or of a folder above it', async () => {
  writeStackFile('encryptionsalt: v1:a:b:c\n')
  mkdirSync(join(folder, 'below'))
  const args = ['up', '--stack', 'dev', '--cwd', join(folder, 'below')]
  expect(await collectOpened({ args, cwd: tmpdir() })).toEqual([['v1:a:b:c', 'secret']])
})

test('no derivation starts with a login to an API, whose server opens the secrets', async () => {
  writeStackFile('encryptionsalt: v1:a:b:c\n')
  writeLogin(home, { url: 'http://127.0.0.1:1', token: 'act_x' })
  expect(await collectOpened()).toEqual([])
})

test.each([
  ['a stack file', undefined, {}],
  ['a salt', 'secretsprovider: awskms://k\n', {}],
  ['a valid salt', 'encryptionsalt: [\n', {}],
  ['a passphrase in the environment', 'encryptionsalt: v1:a:b:c\n', { passphrase: null }],
  ['a project', 'encryptionsalt: v1:a:b:c\n', { cwd: tmpdir() }],
  ['a valid name of a stack', 'encryptionsalt: v1:a:b:c\n', { args: ['up', '-s', '../dev'] }],
  ['a value of --stack', 'encryptionsalt: v1:a:b:c\n', { args: ['up', '--stack'] }],
])('no derivation starts without %s', async (_name, text, options) => {
  if (text !== undefined) writeStackFile(text)
  expect(await collectOpened(options)).toEqual([])
})
