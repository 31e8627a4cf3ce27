import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { initDevStack, parseExport, upArgs } from './exported-state.ts'

const secret = 'swordfish-7f3a'
let sandbox: Sandbox
let exported: string

beforeAll(async () => {
  sandbox = createSandbox('shop')
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))
  requireSuccess(await sandbox.run(upArgs))
  exported = await sandbox.exportState()
})

afterAll(() => sandbox.remove())

const plaintextExportArgs = ['stack', 'export', '--show-secrets', '-s', 'dev']

/** Returns the state without inputs. An importing stack seals their secrets again. */
function removeInputs(text: string) {
  const { resources, pending } = parseExport(text)
  return { resources: resources.map(({ inputs: _sealed, ...fields }) => fields), pending }
}

test('an export is imported into a new stack below another ANTICHAIN_HOME, which then has no changes', async () => {
  const env = { ANTICHAIN_HOME: join(sandbox.program, '../elsewhere') }
  requireSuccess(await sandbox.run(['stack', 'init', 'dev'], { env }))
  requireSuccess(await sandbox.run(['stack', 'import', '-s', 'dev'], { env, input: exported }))
  const newExport = requireSuccess(await sandbox.run(['stack', 'export', '-s', 'dev'], { env })).out
  expect(verifyExport(newExport, { sealed: true })).toEqual([])
  expect(removeInputs(newExport)).toEqual(removeInputs(exported))
  requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes'], { env }))
})

test('secrets that are imported in plaintext are sealed', async () => {
  const plaintext = requireSuccess(await sandbox.run(plaintextExportArgs)).out
  expect(verifyExport(plaintext, { sealed: false })).toEqual([])
  expect(plaintext).toContain(secret)
  requireSuccess(await sandbox.run(['stack', 'import', '-s', 'dev'], { input: plaintext }))
  const secondExport = await sandbox.exportState()
  expect(verifyExport(secondExport, { sealed: true })).toEqual([])
  expect(secondExport).not.toContain(secret)
  expect(removeTime(requireSuccess(await sandbox.run(plaintextExportArgs)).out)).toBe(
    removeTime(plaintext),
  )
})

test('a plaintext state is sealed under the passphrase of the stack that imports it', async () => {
  const file = join(sandbox.program, 'Pulumi.dev.yaml')
  const stackFileText = readFileSync(file, 'utf8')
  rmSync(file)
  const home = join(sandbox.program, '../other-passphrase')
  try {
    const env = { ANTICHAIN_HOME: home, PULUMI_CONFIG_PASSPHRASE: 'open barley' }
    requireSuccess(await sandbox.run(['stack', 'init', 'dev'], { env }))
    const plaintext = requireSuccess(await sandbox.run(plaintextExportArgs)).out
    requireSuccess(await sandbox.run(['stack', 'import', '-s', 'dev'], { env, input: plaintext }))
    const newExport = requireSuccess(await sandbox.run(plaintextExportArgs, { env })).out
    expect(parseExport(newExport)).toEqual(parseExport(plaintext))
    expect(newExport).toContain(secret)
  } finally {
    writeFileSync(file, stackFileText)
  }
})

const hasPulumi = spawnSync('pulumi', ['version']).status === 0

test.runIf(hasPulumi)('the real Pulumi CLI imports our export and sees no changes', async () => {
  writeFileSync(join(sandbox.program, 'ours.json'), exported)
  const env = sandbox.createEnvironment({
    PULUMI_BACKEND_URL: `file://${sandbox.program}`,
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_STACK: 'dev',
  })
  const runPulumi = (...args: string[]): string => {
    const result = spawnSync('pulumi', args, { cwd: sandbox.program, env, encoding: 'utf8' })
    if (result.status !== 0)
      throw new Error(`${args.join(' ')}\n${result.stdout}\n${result.stderr}`)
    return result.stdout
  }
  runPulumi('stack', 'init', 'dev')
  runPulumi('stack', 'import', '--file', 'ours.json')
  runPulumi('preview', '--expect-no-changes')
  const pulumiExport = runPulumi('stack', 'export')
  expect(verifyExport(pulumiExport, { sealed: true })).toEqual([])
  requireSuccess(await sandbox.run(['stack', 'import', '-s', 'dev'], { input: pulumiExport }))
  requireSuccess(await sandbox.run(['preview', '-s', 'dev', '--expect-no-changes']))
})

test('a missing Pulumi CLI is reported on stderr', () => {
  if (!hasPulumi)
    process.stderr.write(
      'e2e: no `pulumi` on PATH, so the exchange of states with Pulumi is not tested\n',
    )
})

function removeTime(text: string): string {
  return text.replace(/"time": "[^"]*"/, '')
}
