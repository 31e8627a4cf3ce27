import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeLogin } from '../remote/saved-login.ts'
import type { Io } from '../session/io.ts'
import { createCliSession } from '../session/session.ts'
import type { Tools } from '../session/tools.ts'
import { startKeyDerivation } from './start-key-derivation.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-derivation-'))
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: shop\nruntime: yaml\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the derivation for the stack `dev`, and returns the opened pairs of salt and passphrase. */
async function collectOpened(passphrase: string | undefined): Promise<readonly string[][]> {
  const openedPairs: string[][] = []
  const tools = {
    loadSecrets: async () => ({
      readPassphrase: async () => passphrase,
      openWithPassphrase: (...pair: string[]) => {
        openedPairs.push(pair)
        return Promise.reject(new Error('incorrect passphrase'))
      },
    }),
  } as unknown as Tools
  const env = { ANTICHAIN_HOME: join(folder, 'home') }
  const options = { stack: 'dev', nonInteractive: true, color: 'never', verbose: false } as const
  await startKeyDerivation(createCliSession({ cwd: folder, env } as unknown as Io, tools, options))
  return openedPairs
}

const writeStackFile = (text: string): void => writeFileSync(join(folder, 'Pulumi.dev.yaml'), text)

test('a derivation starts with the salt of the stack file, and its failure is ignored', async () => {
  writeStackFile('encryptionsalt: v1:a:b:c\n')
  expect(await collectOpened('secret')).toEqual([['v1:a:b:c', 'secret']])
})

test('no derivation starts with a login to an API, whose server opens the secrets', async () => {
  writeStackFile('encryptionsalt: v1:a:b:c\n')
  writeLogin(join(folder, 'home'), { url: 'http://127.0.0.1:1', token: 'act_x' })
  expect(await collectOpened('secret')).toEqual([])
})

test.each([
  ['a stack file', undefined, 'secret'],
  ['a salt', 'secretsprovider: awskms://k\n', 'secret'],
  ['a valid stack file', 'encryptionsalt: [\n', 'secret'],
  ['a passphrase in the environment', 'encryptionsalt: v1:a:b:c\n', undefined],
])('no derivation starts without %s', async (_name, text, passphrase) => {
  if (text !== undefined) writeStackFile(text)
  expect(await collectOpened(passphrase)).toEqual([])
})
