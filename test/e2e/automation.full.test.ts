/** The Automation API of Pulumi's Node SDK, which runs a command named `pulumi`. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { automationResults } from './automation-results.ts'
import { createSandbox, launcher, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
afterEach(() => sandbox.remove())

test('an inline program is previewed, deployed, refreshed and destroyed', {
  timeout: 600_000,
}, () => {
  sandbox = createSandbox('automation')
  const root = join(sandbox.program, 'root')
  mkdirSync(join(root, 'bin'), { recursive: true })
  symlinkSync(launcher, join(root, 'bin', 'pulumi'))
  const result = spawnSync('node', ['main.js'], {
    cwd: sandbox.program,
    env: sandbox.createEnvironment({ COMMAND_ROOT: root }),
    encoding: 'utf8',
    timeout: 500_000,
  })
  expect(result.status, result.stderr).toBe(0)
  expect(JSON.parse(result.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    ...automationResults,
    events: expect.arrayContaining(['preludeEvent', 'resOutputsEvent', 'summaryEvent']),
    stacks: [],
  })
  expect(sandbox.listObjects()).toEqual([])
  expect(sandbox.listProcesses()).toEqual([])
})
