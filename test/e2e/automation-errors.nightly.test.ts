/**
 * The errors of the Automation API of Pulumi's SDKs, which recognize them by the messages of the
 * command named `pulumi`.
 */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createSandbox, launcher, requireSuccess, type Sandbox } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const requirements = resolve(import.meta.dirname, '../fixtures/programs/python/requirements.txt')

const expectedResults = {
  missing: 'StackNotFoundError',
  existing: 'StackAlreadyExistsError',
  concurrent: 'ConcurrentUpdateError',
  concurrentDestroy: 'ConcurrentUpdateError',
  concurrentRefresh: 'ConcurrentUpdateError',
  historyWhileRunning: 0,
  changes: { create: 2 },
  tag: 'web',
  tags: { owner: 'web' },
  remainingTags: {},
  account: { hasUser: true, organizations: ['organization'] },
}

let sandbox: Sandbox
afterEach(() => sandbox.remove())

/** Runs a fixture with an interpreter. Returns the JSON value of its last line. */
async function runAutomation(fixture: string, interpreter: string, file: string): Promise<unknown> {
  sandbox = createSandbox(fixture)
  const root = join(sandbox.program, 'root')
  mkdirSync(join(root, 'bin'), { recursive: true })
  symlinkSync(launcher, join(root, 'bin', 'pulumi'))
  const options = { command: interpreter, env: { COMMAND_ROOT: root } }
  const running = sandbox.start([file], options)
  // A program that hangs is killed, so that the failure shows its output so far.
  const watchdog = setTimeout(() => running.kill('SIGKILL', 'group'), 240_000)
  const result = await running.done
  clearTimeout(watchdog)
  const { out } = requireSuccess(result)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

test('the Node SDK recognizes a missing, an existing and a busy stack', {
  timeout: 300_000,
}, async () => {
  expect(await runAutomation('automation', process.execPath, 'errors.js')).toEqual({
    ...expectedResults,
    failed: 'CommandError',
    organization: 'organization',
  })
})

describeWithCommands('in Python', [['python3', '-m', 'venv', '--help']], () => {
  test('the SDK recognizes a missing, an existing and a busy stack, and errors of programs', {
    timeout: 600_000,
  }, async () => {
    const interpreter = join(createVirtualEnvironment(requirements), 'bin', 'python')
    expect(await runAutomation('automation-python', interpreter, 'errors.py')).toEqual({
      ...expectedResults,
      failed: 'InlineSourceRuntimeError',
      thrown: 'RuntimeError',
      uncompiled: 'CompilationError',
    })
  })
})
