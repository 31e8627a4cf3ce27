import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const secret = 'swordfish-7f3a'
const fixtures = join(import.meta.dirname, '../fixtures/programs')
/** Compilers and installers may have to download packages first. */
const slowMs = 900_000

let sandbox: Sandbox
afterEach(() => sandbox.remove())

const up = ['up', '--yes', '--skip-preview', '-s', 'dev']
const listIds = (): readonly string[] =>
  sandbox
    .listObjects()
    .map(({ id }) => id)
    .sort()

async function makeStack(): Promise<void> {
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', 'step', '1', '-s', 'dev']))
}

/**
 * Runs a whole lifecycle: preview, create, no changes, update with replacement and delete, and
 * destroy.
 */
async function checkLifecycle(): Promise<void> {
  const previewed = requireSuccess(await sandbox.run(['preview', '-s', 'dev']))
  expect(previewed.out).toContain('g-second')
  expect(sandbox.listObjects()).toEqual([])
  requireSuccess(await sandbox.run(up))
  expect(listIds()).toEqual(['extra-1', 'g-first-1', 'g-second-1'])
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(text).not.toContain(secret)
  expect(text).toContain('app:index:Group$gold:index:Thing::g-first')
  requireSuccess(await sandbox.run([...up, '--expect-no-changes']))
  requireSuccess(await sandbox.run(['config', 'set', 'step', '2', '-s', 'dev']))
  requireSuccess(await sandbox.run(up))
  expect(listIds()).toEqual(['g-first-1', 'g-second-2'])
  const outputs = requireSuccess(
    await sandbox.run(['stack', 'output', '--json', '--show-secrets', '-s', 'dev']),
  )
  expect(JSON.parse(outputs.out)).toMatchObject({ id: 'g-second-2', password: secret })
  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(sandbox.listObjects()).toEqual([])
}

describeWithCommands('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  beforeEach(async () => {
    sandbox = createSandbox('python')
    const environment = createVirtualEnvironment(join(fixtures, 'python', 'requirements.txt'))
    symlinkSync(environment, join(sandbox.program, 'venv'))
    await makeStack()
  }, slowMs)

  test(
    'has the same lifecycle as one in Node, with a component, secrets and a dynamic provider',
    checkLifecycle,
    slowMs,
  )

  test(
    'in a subfolder uses the virtual environment of the project, also for dynamic providers',
    async () => {
      mkdirSync(join(sandbox.program, 'src'))
      for (const name of ['__main__.py', 'settings.py'])
        renameSync(join(sandbox.program, name), join(sandbox.program, 'src', name))
      const file = join(sandbox.program, 'Pulumi.yaml')
      appendFileSync(file, 'main: src\n')
      requireSuccess(await sandbox.run(up))
      expect(listIds()).toEqual(['extra-1', 'g-first-1', 'g-second-1'])
    },
    slowMs,
  )

  test('shows its debug messages, and those of the SDK, with --debug only', async () => {
    const main = join(sandbox.program, '__main__.py')
    appendFileSync(
      main,
      '\nfrom pulumi.log import debug, info\ndebug("seen")\ninfo("always seen")\n',
    )
    const preview = ['preview', '-s', 'dev']
    const { out } = requireSuccess(await sandbox.run(preview))
    expect(out).toContain('always seen')
    expect(out).not.toContain('debug: ')
    const debugged = requireSuccess(await sandbox.run([...preview, '--debug'])).out
    expect(debugged).toContain('debug: seen')
    expect(debugged).toContain('resource registration prepared')
  })

  test('that throws reports the place, and nothing is deleted', async () => {
    requireSuccess(await sandbox.run(up))
    writeFileSync(join(sandbox.program, 'settings.py'), 'raise ValueError("no settings")\n')
    const result = await sandbox.run(up)
    expect(result.exit).not.toBe(0)
    expect(result.out).toContain('ValueError: no settings')
    expect(result.out).not.toContain('run-program.py')
    expect(listIds()).toEqual(['extra-1', 'g-first-1', 'g-second-1'])
  })

  test('without its virtual environment is refused with the command that creates it', async () => {
    const file = join(sandbox.program, 'Pulumi.yaml')
    writeFileSync(file, 'name: languages\nruntime: {name: python, options: {virtualenv: none}}\n')
    const result = await sandbox.run(up)
    expect(result.err).toMatch(/PROGRAM_LANGUAGE_MISSING/)
    expect(result.err).toContain('python3 -m venv')
  })
})

describeWithCommands('a program in Go', [['go', 'version']], () => {
  beforeEach(async () => {
    sandbox = createSandbox('go')
    await makeStack()
  }, slowMs)

  test(
    'has the same lifecycle as one in Node, with a component and secrets',
    checkLifecycle,
    slowMs,
  )

  test(
    'that does not compile reports the place, and nothing runs',
    async () => {
      writeFileSync(join(sandbox.program, 'main.go'), 'package main\n\nfunc main() { return 1 }\n')
      const result = await sandbox.run(up)
      expect(result.err).toMatch(/PROGRAM_BUILD_FAILED/)
      expect(result.err).toContain('main.go:3')
    },
    slowMs,
  )

  test('that was built before runs without another build', async () => {
    const file = join(sandbox.program, 'Pulumi.yaml')
    writeFileSync(file, 'name: languages\nruntime: {name: go, options: {binary: ./program.sh}}\n')
    writeFileSync(join(sandbox.program, 'program.sh'), '#!/bin/sh\necho I ran\n', { mode: 0o755 })
    const result = requireSuccess(await sandbox.run(up))
    expect(result.out).toContain('I ran')
    writeFileSync(file, 'name: languages\nruntime: {name: go, options: {binary: ./nothing}}\n')
    expect((await sandbox.run(up)).err).toMatch(/PROGRAM_LANGUAGE_MISSING/)
  })
})

test('a language that only has a language host completes a lifecycle', async () => {
  const write = (things: Readonly<Record<string, object>>): void =>
    writeFileSync(join(sandbox.program, 'program.json'), JSON.stringify(things))
  sandbox = createSandbox(undefined, { files: { 'Pulumi.yaml': 'name: toys\nruntime: toy\n' } })
  write({ ball: { value: 1 }, doll: { value: 1 } })
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', 'step', 'one', '-s', 'dev']))
  expect(requireSuccess(await sandbox.run(up)).out).toContain('toy makes 2 things')
  expect(listIds()).toEqual(['ball-1', 'doll-1'])
  const outputs = requireSuccess(await sandbox.run(['stack', 'output', '--json', '-s', 'dev']))
  expect(JSON.parse(outputs.out)).toEqual({ step: 'one', ball: 'ball-1', doll: 'doll-1' })
  requireSuccess(await sandbox.run([...up, '--expect-no-changes']))
  write({ ball: { value: 2 } })
  requireSuccess(await sandbox.run(up))
  expect(listIds()).toEqual(['ball-1'])
  writeFileSync(join(sandbox.program, 'program.json'), '{')
  const failedRun = await sandbox.run(up)
  expect(failedRun.exit).not.toBe(0)
  expect(failedRun.out + failedRun.err).toContain('SyntaxError')
  expect(listIds()).toEqual(['ball-1'])
  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(sandbox.listObjects()).toEqual([])
  expect(sandbox.listProcesses()).toEqual([])
})

test('a language without a host is refused with the name of the missing executable', async () => {
  sandbox = createSandbox(undefined, {
    files: { 'Pulumi.yaml': 'name: languages\nruntime: klingon\n' },
  })
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  const result = await sandbox.run(up)
  expect(result.err).toMatch(/RUNTIME_UNKNOWN/)
  expect(result.err).toContain('pulumi-language-klingon')
  expect(result.exit).not.toBe(0)
  expect(sandbox.listCalls()).toEqual([])
})
