import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const fixtures = join(import.meta.dirname, '../fixtures/programs')
/** Compilers and installers may have to download packages first. */
const slowMs = 900_000
const goldMain = join(import.meta.dirname, '../golden/provider/main.js')

let sandbox: Sandbox
afterEach(() => sandbox.remove())

const up = ['up', '--yes', '--skip-preview', '-s', 'dev']
const pluginFolder = (): string => join(sandbox.program, 'plugin')

/** Creates a sandbox with a program, and with its plugin as source code in this language. */
async function createSandboxWithPlugin(language: string): Promise<void> {
  sandbox = createSandbox('pairs')
  cpSync(join(fixtures, 'pairs', language), pluginFolder(), { recursive: true })
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', 'step', '1', '-s', 'dev']))
}

async function checkLifecycle(): Promise<void> {
  requireSuccess(await sandbox.run(['preview', '-s', 'dev']))
  requireSuccess(await sandbox.run(up))
  const outputs = requireSuccess(await sandbox.run(['stack', 'output', '--json', '-s', 'dev']))
  expect(JSON.parse(outputs.out)).toEqual({ ids: 'p-left-1 p-right-1' })
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(text).toContain('pairs:index:Pair$gold:index:Thing::p-right')
  requireSuccess(await sandbox.run([...up, '--expect-no-changes']))
  requireSuccess(await sandbox.run(['config', 'set', 'step', '2', '-s', 'dev']))
  requireSuccess(await sandbox.run(up))
  expect(sandbox.listObjects().map(({ props }) => props['value'])).toEqual([2, 2])
  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(sandbox.listObjects()).toEqual([])
  expect(sandbox.listProcesses()).toEqual([])
}

describeWithCommands(
  'a plugin from source in Python',
  [['python3', '-m', 'venv', '--help']],
  () => {
    beforeEach(async () => {
      await createSandboxWithPlugin('python')
      const environment = createVirtualEnvironment(join(fixtures, 'python', 'requirements.txt'))
      symlinkSync(environment, join(pluginFolder(), 'venv'))
    }, slowMs)

    test('creates its components, in a virtual environment of its own', checkLifecycle, slowMs)

    test('without its virtual environment is refused, and nothing is created', async () => {
      rmSync(join(pluginFolder(), 'venv'))
      const result = await sandbox.run(up)
      expect(result.exit).not.toBe(0)
      expect(result.out + result.err).toContain(
        'plugin/venv is not a virtual environment of Python',
      )
      expect(sandbox.listObjects()).toEqual([])
    })

    test('without a __main__.py needs a valid pyproject.toml', async () => {
      rmSync(join(pluginFolder(), '__main__.py'))
      const none = await sandbox.run(up)
      expect(none.out + none.err).toContain('neither a __main__.py nor a pyproject.toml')
      writeFileSync(join(pluginFolder(), 'pyproject.toml'), '[project\n')
      expect((await sandbox.run(up)).out).toContain('pyproject.toml is not valid TOML')
    })
  },
)

describeWithCommands('a plugin from source in Go', [['go', 'version']], () => {
  beforeEach(() => createSandboxWithPlugin('go'))

  test('is built and creates its components', checkLifecycle, slowMs)

  test(
    'that does not compile reports the place, and nothing is created',
    async () => {
      writeFileSync(join(pluginFolder(), 'main.go'), 'package main\n\nfunc main() { return 1 }\n')
      const result = await sandbox.run(up)
      expect(result.out + result.err).toContain('main.go:3')
      expect(sandbox.listObjects()).toEqual([])
    },
    slowMs,
  )
})

test('a plugin from source in a language that only has a language host runs through that host', async () => {
  const project =
    'name: small\nruntime: nodejs\nplugins:\n  providers: [{name: gold, path: ./plugin}]\n'
  const main = `process.argv.splice(2, 0, 'gold')\nrequire(${JSON.stringify(goldMain)})\n`
  sandbox = createSandbox('small', {
    files: {
      'Pulumi.yaml': project,
      'plugin/PulumiPlugin.yaml': 'runtime: toy\n',
      'plugin/main.cjs': main,
    },
  })
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(up))
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual(['thing-1'])
  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(sandbox.listObjects()).toEqual([])
  writeFileSync(join(pluginFolder(), 'main.cjs'), 'console.error("no licence"); process.exit(3)\n')
  const result = await sandbox.run(up)
  expect(result.out + result.err).toContain('ended before it printed its port: exit code 3')
  expect(result.out + result.err).toContain('no licence')
  expect(sandbox.listProcesses()).toEqual([])
})
