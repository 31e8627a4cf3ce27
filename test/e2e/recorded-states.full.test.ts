import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readRecordedState, recordedPassphrase, recordedStatesFolder } from '../recorded-states.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

/**
 * A sample of the recorded states, because each one takes two commands. Together they have every
 * version of Pulumi's command line, and every feature of states. An import drops pending
 * operations, encrypts secrets in plaintext, and refuses an integrity error, so no state of the
 * sample has them.
 */
const names = [
  '3.200.0/options',
  '3.200.0/views',
  '3.200.0/refresh-before-update',
  '3.248.0/all-hooks',
  '3.248.0/taint',
  '3.248.0/values',
  '3.274.1/assets',
  '3.274.1/byte-string-in-secret',
  '3.274.1/extension-parameterized',
  '3.274.1/imported-aliases',
  '3.274.1/options',
  '3.274.1/pending-delete',
  '3.274.1/snippets',
  '3.274.1/vault-secrets',
]

/**
 * The server of the key `hashivault://key`. When the states were recorded, the real command line
 * got its data key from this server too. It stores a plaintext as its own ciphertext.
 */
const vault: Server = createServer((request, response) => {
  let body = ''
  request
    .on('data', chunk => {
      body += String(chunk)
    })
    .on('end', () => {
      const { ciphertext } = JSON.parse(body) as { ciphertext: string }
      const data = { plaintext: ciphertext.replace('vault:v1:', '') }
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
    })
})

let sandbox: Sandbox
let env: Readonly<Record<string, string>>
const run = async (...args: readonly string[]): Promise<string> =>
  requireSuccess(await sandbox.run([...args, '-s', 'dev'], { env })).out

beforeAll(async () => {
  await new Promise<void>(listening => vault.listen(0, '127.0.0.1', listening))
  env = {
    PULUMI_CONFIG_PASSPHRASE: recordedPassphrase,
    VAULT_SERVER_URL: `http://127.0.0.1:${(vault.address() as AddressInfo).port}`,
    VAULT_SERVER_TOKEN: 'token',
  }
  sandbox = createSandbox(undefined, {
    files: { 'Pulumi.yaml': 'name: golden\nruntime: nodejs\n' },
  })
  await run('stack', 'init')
})
afterAll(() => {
  sandbox.remove()
  vault.close()
})

test.each(names)(
  'the state %s of the real CLI is imported and exported without a changed byte',
  async name => {
    const text = readRecordedState(`${name}.state`)
    // A stack with the key of the state keeps its ciphertexts.
    const { salt, url, encryptedkey } = JSON.parse(text).deployment.secrets_providers.state
    const file =
      salt === undefined
        ? `secretsprovider: ${url}\nencryptedkey: ${encryptedkey}\n`
        : `encryptionsalt: ${salt}\n`
    writeFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), file)
    await run('stack', 'import', '--file', join(recordedStatesFolder, `${name}.state`))
    expect(await run('stack', 'export')).toBe(text)
  },
)
