import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
new Thing('thing', { value: pulumi.secret('hush') })
exports.key = pulumi.secret('hush')
if (process.env.FAULT === 'throw') throw new Error('thrown by the program')
`

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('small', { files: { 'index.js': program } })
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs))
})

afterEach(() => sandbox.remove())

/** Gives the stack file a new salt of the same passphrase. Returns the salt. */
async function replaceSalt(): Promise<string> {
  requireSuccess(await sandbox.run(['stack', 'init', 'other']))
  const text = readFileSync(join(sandbox.program, 'Pulumi.other.yaml'), 'utf8')
  writeFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), text)
  return /encryptionsalt: (\S+)/.exec(text)?.[1] ?? ''
}

async function readStateSalt(): Promise<unknown> {
  const { deployment } = JSON.parse(await sandbox.exportState()) as {
    deployment: { secrets_providers: { state: { salt: string } } }
  }
  return deployment.secrets_providers.state.salt
}

async function readSecrets(): Promise<unknown> {
  const args = ['stack', 'output', '--json', '--show-secrets', '-s', 'dev']
  return JSON.parse(requireSuccess(await sandbox.run(args)).out)
}

test('a state whose secrets manager differs from that of the stack file is encrypted again by an update', async () => {
  const salt = await replaceSalt()
  expect(await readStateSalt()).not.toBe(salt)
  requireSuccess(await sandbox.run(['preview', '--expect-no-changes', '-s', 'dev']))
  requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes']))
  expect([await readStateSalt(), await readSecrets()]).toEqual([salt, { key: 'hush' }])
})

test('an update that fails after a change of the secrets manager leaves readable secrets', async () => {
  const salt = await replaceSalt()
  const failed = await sandbox.run(upArgs, { env: { FAULT: 'throw' } })
  expect(failed.err).toContain('DEPLOYMENT_FAILED')
  expect([await readStateSalt(), await readSecrets()]).toEqual([salt, { key: 'hush' }])
  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
})

test('a secrets manager whose passphrase is unknown is refused before anything changes', async () => {
  const before = await sandbox.exportState()
  await replaceSalt()
  const env = { PULUMI_CONFIG_PASSPHRASE: 'other' }
  rmSync(join(sandbox.program, 'Pulumi.dev.yaml'))
  expect((await sandbox.run(upArgs, { env })).err).toContain('error[SECRETS_')
  expect(await sandbox.exportState()).toBe(before)
})
