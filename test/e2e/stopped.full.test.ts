import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, stateOf, up } from './state.ts'

let place: Place

beforeEach(() => {
  place = createPlace('many')
})

afterEach(() => place.remove())

test('a stopped process that owns the store is named with what to do, and goes on when it is let', async () => {
  await initStack(place)
  const running = place.start([...up, '-p', '8'])
  await until(() => place.objects().length >= 10, { what: '10 objects' })
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
  expect((await stateOf(place)).resources.length).toBeGreaterThan(50)
})

test('a stopped process that is ended gives the store to the next command, which loses nothing', async () => {
  await initStack(place)
  const running = place.start([...up, '-p', '8'])
  await until(() => place.objects().length >= 10, { what: '10 objects' })
  running.kill('SIGSTOP', 'process')
  running.kill('SIGKILL', 'process')
  expect((await running.done).exit).toBe(137)
  succeeded(await place.run(['cancel', '--force', '-s', 'dev', '-y']))
  const { resources, pending } = await stateOf(place)
  const known = new Set([...resources, ...pending].map(({ name }) => name))
  const made = place.objects().map(({ id }) => id.replace(/-\d+$/, ''))
  expect(made.filter(name => !known.has(name))).toEqual([])
})
