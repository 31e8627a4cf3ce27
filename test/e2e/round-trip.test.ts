import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, succeeded } from './place.ts'
import { initStack, readExport, up } from './state.ts'

const secret = 'swordfish-7f3a'
let place: Place
let exported: string

beforeAll(async () => {
  place = createPlace('shop')
  await initStack(place)
  succeeded(await place.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))
  succeeded(await place.run(up))
  exported = await place.exported()
})

afterAll(() => place.remove())

const clear = ['stack', 'export', '--show-secrets', '-s', 'dev']

/** What an export has, but for inputs: a stack that takes it seals its secrets anew. */
function withoutInputs(text: string) {
  const { resources, pending } = readExport(text)
  return { resources: resources.map(({ inputs: _sealed, ...found }) => found), pending }
}

test('an export goes into a fresh stack elsewhere, which then has nothing to change', async () => {
  const env = { ANTICHAIN_HOME: join(place.program, '../elsewhere') }
  succeeded(await place.run(['stack', 'init', 'dev'], { env }))
  succeeded(await place.run(['stack', 'import', '-s', 'dev'], { env, input: exported }))
  const there = succeeded(await place.run(['stack', 'export', '-s', 'dev'], { env })).out
  expect(verifyExport(there, { sealed: true })).toEqual([])
  expect(withoutInputs(there)).toEqual(withoutInputs(exported))
  succeeded(await place.run([...up, '--expect-no-changes'], { env }))
})

test('secrets that are imported in clear are sealed', async () => {
  const open = succeeded(await place.run(clear)).out
  expect(verifyExport(open, { sealed: false })).toEqual([])
  expect(open).toContain(secret)
  succeeded(await place.run(['stack', 'import', '-s', 'dev'], { input: open }))
  const again = await place.exported()
  expect(verifyExport(again, { sealed: true })).toEqual([])
  expect(again).not.toContain(secret)
  expect(withoutTime(succeeded(await place.run(clear)).out)).toBe(withoutTime(open))
})

test('a state in clear is sealed under the passphrase of the stack that takes it', async () => {
  const file = join(place.program, 'Pulumi.dev.yaml')
  const kept = readFileSync(file, 'utf8')
  rmSync(file)
  const home = join(place.program, '../other-passphrase')
  try {
    const env = { ANTICHAIN_HOME: home, PULUMI_CONFIG_PASSPHRASE: 'open barley' }
    succeeded(await place.run(['stack', 'init', 'dev'], { env }))
    const open = succeeded(await place.run(clear)).out
    succeeded(await place.run(['stack', 'import', '-s', 'dev'], { env, input: open }))
    const there = succeeded(await place.run(clear, { env })).out
    expect(readExport(there)).toEqual(readExport(open))
    expect(there).toContain(secret)
  } finally {
    writeFileSync(file, kept)
  }
})

const hasPulumi = spawnSync('pulumi', ['version']).status === 0

test.runIf(hasPulumi)(
  'the real command line takes our export and sees nothing to change',
  async () => {
    writeFileSync(join(place.program, 'ours.json'), exported)
    const env = place.environment({
      PULUMI_BACKEND_URL: `file://${place.program}`,
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_STACK: 'dev',
    })
    const pulumi = (...words: string[]): string => {
      const ran = spawnSync('pulumi', words, { cwd: place.program, env, encoding: 'utf8' })
      if (ran.status !== 0) throw new Error(`${words.join(' ')}\n${ran.stdout}\n${ran.stderr}`)
      return ran.stdout
    }
    pulumi('stack', 'init', 'dev')
    pulumi('stack', 'import', '--file', 'ours.json')
    pulumi('preview', '--expect-no-changes')
    const theirs = pulumi('stack', 'export')
    expect(verifyExport(theirs, { sealed: true })).toEqual([])
    succeeded(await place.run(['stack', 'import', '-s', 'dev'], { input: theirs }))
    succeeded(await place.run(['preview', '-s', 'dev', '--expect-no-changes']))
  },
)

test('whether the real command line took part is said', () => {
  if (!hasPulumi)
    process.stderr.write('e2e: no `pulumi` on PATH, so no exchange of states with it\n')
})

function withoutTime(text: string): string {
  return text.replace(/"time": "[^"]*"/, '')
}
