import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let place: Place

beforeEach(() => {
  place = createPlace('many')
})

afterEach(() => place.remove())

test('commands name a stopped process that owns the store and how to handle it, and the process continues after SIGCONT', async () => {
  await initDevStack(place)
  const running = place.start([...upArgs, '-p', '8'])
  await waitUntil(() => place.listObjects().length >= 10, { what: '10 objects' })
  running.kill('SIGSTOP', 'process')
  const { pid } = running
  for (const command of [
    ['stack', 'ls'],
    ['cancel', '--force', '-s', 'dev', '-y'],
  ])
    expectRefused(await place.run(command), 'STORE_UNAVAILABLE', [
      `process ${pid}, which owns it, does not answer`,
      `kill -CONT ${pid}`,
      `kill -KILL ${pid}`,
    ])
  running.kill('SIGCONT', 'process')
  expect((await running.done).exit).toBe(0)
  expect((await readStackState(place)).resources.length).toBeGreaterThan(50)
})

test('when a stopped process is killed, the next command takes over the store and loses nothing', async () => {
  await initDevStack(place)
  const running = place.start([...upArgs, '-p', '8'])
  await waitUntil(() => place.listObjects().length >= 10, { what: '10 objects' })
  running.kill('SIGSTOP', 'process')
  running.kill('SIGKILL', 'process')
  expect((await running.done).exit).toBe(137)
  requireSuccess(await place.run(['cancel', '--force', '-s', 'dev', '-y']))
  const { resources, pending } = await readStackState(place)
  const known = new Set([...resources, ...pending].map(({ name }) => name))
  const made = place.listObjects().map(({ id }) => id.replace(/-\d+$/, ''))
  expect(made.filter(name => !known.has(name))).toEqual([])
})
