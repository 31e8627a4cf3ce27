import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess } from './place.ts'
import { initDevStack, readExport, upArgs } from './exported-state.ts'

const secret = 'swordfish-7f3a'
let place: Place
let exported: string

beforeAll(async () => {
  place = createPlace('shop')
  await initDevStack(place)
  requireSuccess(await place.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))
  requireSuccess(await place.run(upArgs))
  exported = await place.exportState()
})

afterAll(() => place.remove())

const clear = ['stack', 'export', '--show-secrets', '-s', 'dev']

/** Returns an export without inputs. A stack that imports it seals its secrets again. */
function withoutInputs(text: string) {
  const { resources, pending } = readExport(text)
  return { resources: resources.map(({ inputs: _sealed, ...found }) => found), pending }
}

test('an export is imported into a fresh stack of another installation, which then has no changes', async () => {
  const env = { ANTICHAIN_HOME: join(place.program, '../elsewhere') }
  requireSuccess(await place.run(['stack', 'init', 'dev'], { env }))
  requireSuccess(await place.run(['stack', 'import', '-s', 'dev'], { env, input: exported }))
  const there = requireSuccess(await place.run(['stack', 'export', '-s', 'dev'], { env })).out
  expect(verifyExport(there, { sealed: true })).toEqual([])
  expect(withoutInputs(there)).toEqual(withoutInputs(exported))
  requireSuccess(await place.run([...upArgs, '--expect-no-changes'], { env }))
})

test('secrets that are imported in plaintext are sealed', async () => {
  const open = requireSuccess(await place.run(clear)).out
  expect(verifyExport(open, { sealed: false })).toEqual([])
  expect(open).toContain(secret)
  requireSuccess(await place.run(['stack', 'import', '-s', 'dev'], { input: open }))
  const again = await place.exportState()
  expect(verifyExport(again, { sealed: true })).toEqual([])
  expect(again).not.toContain(secret)
  expect(withoutTime(requireSuccess(await place.run(clear)).out)).toBe(withoutTime(open))
})

test('a plaintext state is sealed under the passphrase of the stack that imports it', async () => {
  const file = join(place.program, 'Pulumi.dev.yaml')
  const kept = readFileSync(file, 'utf8')
  rmSync(file)
  const home = join(place.program, '../other-passphrase')
  try {
    const env = { ANTICHAIN_HOME: home, PULUMI_CONFIG_PASSPHRASE: 'open barley' }
    requireSuccess(await place.run(['stack', 'init', 'dev'], { env }))
    const open = requireSuccess(await place.run(clear)).out
    requireSuccess(await place.run(['stack', 'import', '-s', 'dev'], { env, input: open }))
    const there = requireSuccess(await place.run(clear, { env })).out
    expect(readExport(there)).toEqual(readExport(open))
    expect(there).toContain(secret)
  } finally {
    writeFileSync(file, kept)
  }
})

const hasPulumi = spawnSync('pulumi', ['version']).status === 0

test.runIf(hasPulumi)('the real Pulumi CLI imports our export and sees no changes', async () => {
  writeFileSync(join(place.program, 'ours.json'), exported)
  const env = place.createEnvironment({
    PULUMI_BACKEND_URL: `file://${place.program}`,
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_STACK: 'dev',
  })
  const runPulumi = (...args: string[]): string => {
    const ran = spawnSync('pulumi', args, { cwd: place.program, env, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`${args.join(' ')}\n${ran.stdout}\n${ran.stderr}`)
    return ran.stdout
  }
  runPulumi('stack', 'init', 'dev')
  runPulumi('stack', 'import', '--file', 'ours.json')
  runPulumi('preview', '--expect-no-changes')
  const theirs = runPulumi('stack', 'export')
  expect(verifyExport(theirs, { sealed: true })).toEqual([])
  requireSuccess(await place.run(['stack', 'import', '-s', 'dev'], { input: theirs }))
  requireSuccess(await place.run(['preview', '-s', 'dev', '--expect-no-changes']))
})

test('the test reports whether the real Pulumi CLI took part', () => {
  if (!hasPulumi)
    process.stderr.write(
      'e2e: no `pulumi` on PATH, so the exchange of states with Pulumi is not tested\n',
    )
})

function withoutTime(text: string): string {
  return text.replace(/"time": "[^"]*"/, '')
}
