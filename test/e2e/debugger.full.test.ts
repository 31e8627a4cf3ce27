import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resumeNode, readDebuggerConfigs } from './debuggers.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'

const fixtures = resolve(import.meta.dirname, '../fixtures')
const goldMain = resolve(import.meta.dirname, '../golden/provider/main.js')

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = createSandbox('small')
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
})
afterEach(() => sandbox.remove())

const up = ['up', '--yes', '--skip-preview', '-s', 'dev', '--event-log', 'events']
const waitForPausedProcesses = (number: number): Promise<void> =>
  waitUntil(() => readDebuggerConfigs(sandbox).length === number, {
    condition: 'processes that wait for a debugger',
  })

test('a program waits for its debugger, and continues after the debugger has attached', async () => {
  const running = sandbox.start([...up, '--attach-debugger'])
  await waitForPausedProcesses(1)
  expect(sandbox.listObjects()).toEqual([])
  const [config] = readDebuggerConfigs(sandbox)
  expect(config).toMatchObject({
    name: 'Pulumi: Program (nodejs)',
    type: 'node',
    request: 'attach',
    processId: expect.any(Number),
    continueOnAttach: true,
  })
  expect(running.readOutput()).toContain(
    'waiting for a debugger: {"name":"Pulumi: Program (nodejs)"',
  )
  await resumeNode(config?.['port'])
  requireSuccess(await running.done)
  expect(sandbox.listObjects()).toHaveLength(1)
  const events = readFileSync(join(sandbox.program, 'events'), 'utf8')
  expect(events).toContain('Waiting for debugger to attach (on process id')
})

test('a plugin from source waits for its debugger, and the program does not wait for one', async () => {
  const folder = join(sandbox.program, 'plugin')
  mkdirSync(folder)
  writeFileSync(join(folder, 'PulumiPlugin.yaml'), 'runtime: nodejs\n')
  writeFileSync(join(folder, 'package.json'), '{"name":"gold","main":"main.js"}')
  const main = `process.argv.splice(2, 0, 'gold')\nrequire(${JSON.stringify(goldMain)})\n`
  writeFileSync(join(folder, 'main.js'), main)
  symlinkSync(join(fixtures, 'sdk/node_modules'), join(folder, 'node_modules'))
  const project =
    'name: small\nruntime: nodejs\nplugins:\n  providers: [{name: gold, path: plugin}]\n'
  writeFileSync(join(sandbox.program, 'Pulumi.yaml'), project)
  const running = sandbox.start([...up, '--attach-debugger=plugin:gold'])
  await waitForPausedProcesses(1)
  const [config] = readDebuggerConfigs(sandbox)
  expect(config).toMatchObject({ name: 'Pulumi: Plugin (nodejs)', type: 'node' })
  await resumeNode(config?.['port'])
  requireSuccess(await running.done)
  expect(sandbox.listObjects()).toHaveLength(1)
})

test('an invalid flag value is refused, and a cancelled program stops waiting', async () => {
  const result = await sandbox.run([...up, '--attach-debugger=providers'])
  expect(result.err).toContain('invalid --attach-debugger flag value: providers')
  expect(result.exit).not.toBe(0)
  const running = sandbox.start([...up, '--attach-debugger=all'])
  await waitForPausedProcesses(1)
  running.kill('SIGINT', 'process')
  expect((await running.done).exit).not.toBe(0)
  await waitUntil(() => sandbox.listProcesses().length === 0, {
    condition: 'the end of the program',
  })
})
