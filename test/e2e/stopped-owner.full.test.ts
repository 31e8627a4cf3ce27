import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let sandbox: Sandbox

beforeEach(() => {
  sandbox = createSandbox('many')
})

afterEach(() => sandbox.remove())

test('while the owner of the store is stopped, commands that write are refused, and other commands read', async () => {
  await initDevStack(sandbox)
  const running = sandbox.start([...upArgs, '-p', '8'])
  await waitUntil(() => sandbox.listObjects().length >= 10, { condition: '10 objects' })
  running.kill('SIGSTOP', 'process')
  const { pid } = running
  expect(requireSuccess(await sandbox.run(['stack', 'ls'])).out).toMatch(/^dev/m)
  for (const command of [
    ['stack', 'init', 'other'],
    ['cancel', '--force', '-s', 'dev', '-y'],
  ])
    expectRefused(await sandbox.run(command), 'STORE_UNAVAILABLE', [
      `process ${pid}, which owns it, does not answer`,
      `kill -CONT ${pid}`,
      `kill -KILL ${pid}`,
    ])
  running.kill('SIGCONT', 'process')
  expect((await running.done).exit).toBe(0)
  expect((await readStackState(sandbox)).resources.length).toBeGreaterThan(50)
})

test('when a stopped process is killed, the next command takes over the store and loses nothing', async () => {
  await initDevStack(sandbox)
  const running = sandbox.start([...upArgs, '-p', '8'])
  await waitUntil(() => sandbox.listObjects().length >= 10, { condition: '10 objects' })
  running.kill('SIGSTOP', 'process')
  running.kill('SIGKILL', 'process')
  expect((await running.done).exit).toBe(137)
  requireSuccess(await sandbox.run(['cancel', '--force', '-s', 'dev', '-y']))
  const { resources, pending } = await readStackState(sandbox)
  const stateNames = new Set([...resources, ...pending].map(({ name }) => name))
  const objectNames = sandbox.listObjects().map(({ id }) => id.replace(/-\d+$/, ''))
  expect(objectNames.filter(name => !stateNames.has(name))).toEqual([])
})
