import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, upArgs } from './exported-state.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = createSandbox('small')
  await initDevStack(sandbox)
})

afterAll(() => sandbox.remove())

/** Creates a separate folder beside the program, with these files. */
function createFolder(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(sandbox.program, '..', name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

test('a folder without a project file is refused', async () => {
  const folder = createFolder('empty', {})
  expectRefused(await sandbox.run(['-C', folder, ...upArgs]), 'PROJECT_NOT_FOUND', [
    'no Pulumi.yaml',
  ])
})

test('malformed YAML in the project file is refused with line and column', async () => {
  const folder = createFolder('yaml', { 'Pulumi.yaml': 'name: small\nruntime: [nodejs\nmain: x\n' })
  const result = await sandbox.run(['-C', folder, ...upArgs])
  expectRefused(result, 'PROJECT_INVALID', [/Pulumi\.yaml:3:\d+/])
})

test('malformed YAML in the stack file is refused with line and column', async () => {
  const folder = createFolder('stack-yaml', {
    'Pulumi.yaml': 'name: small\nruntime: nodejs\n',
    'index.js': '',
    'Pulumi.dev.yaml': 'config:\n  a: 1\n b: 2\n',
  })
  const result = await sandbox.run(['-C', folder, ...upArgs])
  expectRefused(result, 'CONFIG_INVALID', [/Pulumi\.dev\.yaml:3:\d+/])
})

test('an unknown runtime is refused by name', async () => {
  const folder = createFolder('cobol', { 'Pulumi.yaml': 'name: small\nruntime: cobol\n' })
  expectRefused(await sandbox.run(['-C', folder, ...upArgs]), 'RUNTIME_UNKNOWN', ["'cobol'"])
})

test('a program without the SDK is refused with the command that installs it', async () => {
  const folder = createFolder('without-exceptions', {
    'Pulumi.yaml': 'name: small\nruntime: nodejs\n',
    'index.js': '',
  })
  const result = await sandbox.run(['-C', folder, ...upArgs])
  expectRefused(result, 'PROGRAM_SDK_MISSING', ['@pulumi/pulumi', 'npm install'])
})

test('a program whose SDK would load TypeScript 7 is refused with that reason', async () => {
  const folder = createFolder('mix', {
    'Pulumi.yaml': 'name: small\nruntime: nodejs\n',
    'index.js': '',
  })
  const sdk = join(folder, 'node_modules/@pulumi/pulumi')
  const typescript = join(folder, 'node_modules/typescript')
  mkdirSync(join(sdk, 'cmd/run'), { recursive: true })
  mkdirSync(typescript, { recursive: true })
  writeFileSync(join(sdk, 'package.json'), '{"name":"@pulumi/pulumi","version":"3.270.0"}')
  writeFileSync(join(sdk, 'cmd/run/index.js'), '')
  writeFileSync(join(typescript, 'package.json'), '{"name":"typescript","version":"7.0.2"}')
  writeFileSync(join(typescript, 'index.js'), '')
  const result = await sandbox.run(['-C', folder, ...upArgs])
  expectRefused(result, 'PROGRAM_TYPESCRIPT_MIX', ['7.0.2', 'typescript@5'])
})

test('a wrong or missing passphrase is refused, and the stack still works with the right one', async () => {
  const env = { PULUMI_CONFIG_PASSPHRASE: 'open barley' }
  expectRefused(await sandbox.run(upArgs, { env }), 'SECRETS_PASSPHRASE_WRONG', [
    'incorrect passphrase',
  ])
  const none = { PULUMI_CONFIG_PASSPHRASE: undefined }
  expectRefused(await sandbox.run(upArgs, { env: none }), 'SECRETS_PASSPHRASE_MISSING', [
    'passphrase',
  ])
  requireSuccess(await sandbox.run(upArgs))
})

test('-v prints the stack trace of an error', async () => {
  const result = await sandbox.run(['-v', '-C', createFolder('traced', {}), ...upArgs])
  expect(result.err).toMatch(/^\s+at .*:\d+:\d+/m)
})

test('a home that is a file or a broken link is refused with its path', async () => {
  const home = join(sandbox.program, '..', 'home-file')
  writeFileSync(home, '')
  const result = await sandbox.run(upArgs, { env: { ANTICHAIN_HOME: home } })
  expectRefused(result, 'STORE_UNAVAILABLE', [home])
  rmSync(home)
  symlinkSync('/proc/nowhere', home)
  const refusedRun = await sandbox.run(upArgs, { env: { ANTICHAIN_HOME: home } })
  expectRefused(refusedRun, 'STORE_UNAVAILABLE', [home])
})
