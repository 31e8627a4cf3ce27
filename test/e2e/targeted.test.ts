import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectRefused } from './expect-refused.ts'
import { findLostObjects, initDevStack, readStackState, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type RunningCommand, waitUntil } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'

const program = `'use strict'
const { Thing } = require('./gold')
const value = Number(process.env.VALUE || 1)
const delay = Number(process.env.DELAY || 0)
const a = new Thing('a', { value, delay })
const b = new Thing('b', { value, delay })
const c = new Thing('c', { value: 1 }, { dependsOn: [a] })
if (process.env.WITH_NEW) new Thing('new', { value: 1 }, { dependsOn: [a] })
exports.a = a.value
exports.b = b.value
`

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('small', { files: { 'index.js': program } })
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs))
})

afterEach(() => sandbox.remove())

const slowEnv = { VALUE: '2', DELAY: '12000', GOLD_ASKED: '1' }

const urnOf = (name: string): string => `urn:pulumi:dev::small::gold:index:Thing::${name}`

const startUp = (name: string, env: Record<string, string> = {}): RunningCommand =>
  sandbox.start([...upArgs, '--target', urnOf(name)], {
    env: { ...slowEnv, ...env },
  })

/**
 * Starts the updates of `a` and `b`, deployments 2 and 3, and waits until both are running at the
 * same time.
 */
async function startBoth(
  env: Record<string, string> = {},
): Promise<readonly [RunningCommand, RunningCommand]> {
  const first = startUp('a', env)
  await waitUntil(() => countUpdates() === 1, { condition: 'the update of a' })
  const second = startUp('b', env)
  await waitUntil(() => countUpdates() === 2, { condition: 'both updates at the same time' })
  return [first, second]
}

const countUpdates = (): number =>
  sandbox.listChanges().filter(({ call }) => call === 'update').length

async function readValues(): Promise<Readonly<Record<string, unknown>>> {
  const { resources } = await readStackState(sandbox)
  const things = resources.filter(({ type }) => type === 'gold:index:Thing')
  return Object.fromEntries(things.map(({ name, inputs }) => [name, inputs['value']]))
}

test('independent targets are deployed at the same time, and a conflict names the holder and the URN', async () => {
  // Four commands are refused meanwhile, which takes long on a busy machine.
  const env = { ...slowEnv, DELAY: '25000' }
  const [first, second] = await startBoth(env)
  expect((await readStackState(sandbox)).pending.map(({ name }) => name).toSorted()).toEqual([
    'a',
    'b',
  ])
  const whole = await sandbox.run(upArgs)
  expectRefused(whole, 'STACK_BUSY', [`process ${first.pid} `])
  const dependent = await sandbox.run([...upArgs, '--target', urnOf('c')])
  expectRefused(dependent, 'STACK_BUSY', [`process ${first.pid} `, urnOf('a')])
  const destroyed = await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev'])
  expectRefused(destroyed, 'STACK_BUSY', [`process ${first.pid} `])
  expectRefused(await sandbox.run(['cancel', '--yes', 'dev']), 'DEPLOYMENT_AMBIGUOUS', ['2, 3'])
  requireSuccess(await first.done)
  requireSuccess(await second.done)
  expect(await readValues()).toEqual({ a: 2, b: 2, c: 1 })
  const outputs = await sandbox.run(['stack', 'output', '--json', '-s', 'dev'])
  expect(JSON.parse(requireSuccess(outputs).out)).toEqual({ a: 2, b: 2 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
  requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes'], { env }))
})

test('a killed deployment is resumed after the results of a concurrent one were published', async () => {
  const [first, second] = await startBoth()
  first.kill('SIGKILL', 'process')
  await first.done
  requireSuccess(await second.done)
  expect(await readValues()).toMatchObject({ b: 2 })
  const env = slowEnv
  requireSuccess(await sandbox.run(['resume', '-s', 'dev', '--yes'], { env }))
  expect(await readValues()).toEqual({ a: 2, b: 2, c: 1 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
})

test('the second of two killed deployments is resumed first, by its number', async () => {
  const running = await startBoth()
  for (const { kill, done } of running) {
    kill('SIGKILL', 'process')
    await done
  }
  const resume = ['resume', '-s', 'dev', '--yes']
  const unknown = await sandbox.run([...resume, '--deployment', '9'])
  expectRefused(unknown, 'NOTHING_TO_RESUME', ['deployment 9 ', 'is not open'])
  requireSuccess(await sandbox.run([...resume, '--deployment', '3'], { env: slowEnv }))
  expect(await readValues()).toMatchObject({ b: 2, c: 1 })
  requireSuccess(await sandbox.run(resume, { env: slowEnv }))
  expect(await readValues()).toEqual({ a: 2, b: 2, c: 1 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
})

test('one of two open deployments is cancelled by its number', async () => {
  const [first, second] = await startBoth()
  requireSuccess(await sandbox.run(['cancel', '--yes', 'dev', '--deployment', '3']))
  await second.done
  requireSuccess(await first.done)
  expect(await readValues()).toMatchObject({ a: 2, c: 1 })
  requireSuccess(await sandbox.run(upArgs, { env: { VALUE: '3' } }))
  expect(await readValues()).toEqual({ a: 3, b: 3, c: 1 })
})

test('a new resource is refused while another deployment changes its dependency', async () => {
  const first = startUp('a')
  await waitUntil(() => countUpdates() === 1, { condition: 'the update of a' })
  const added = await startUp('new', { WITH_NEW: '1' }).done
  expectRefused(added, 'STACK_BUSY', [`process ${first.pid} `, urnOf('a')])
  requireSuccess(await first.done)
  expect(await readValues()).toEqual({ a: 2, b: 1, c: 1 })
})

test('a refresh and a destroy of another target run beside an update', async () => {
  const first = startUp('a')
  await waitUntil(() => countUpdates() === 1, { condition: 'the update of a' })
  const otherArgs = ['--yes', '--skip-preview', '-s', 'dev', '--target', urnOf('b')]
  requireSuccess(await sandbox.run(['refresh', ...otherArgs]))
  requireSuccess(await sandbox.run(['destroy', ...otherArgs]))
  const dependent = await sandbox.run(['destroy', ...otherArgs.slice(0, -1), urnOf('c')])
  expectRefused(dependent, 'STACK_BUSY', [`process ${first.pid} `, urnOf('a')])
  requireSuccess(await first.done)
  expect(await readValues()).toEqual({ a: 2, c: 1 })
  expect(findLostObjects(sandbox, await readStackState(sandbox))).toEqual([])
})
