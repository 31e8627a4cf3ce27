import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { cancel, checkedState, fourRun } from './four-creates.ts'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { initStack, stateOf, up } from './state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('many')
  await initStack(place)
})

afterEach(() => place.remove())

const cancelled = catalogue.DEPLOYMENT_CANCELLED.exit

test('a second Ctrl-C abandons what runs, and the next run says what to do about it', async () => {
  const running = startOnTerminal(place, [...up, '-p', '4'], { COUNT: '12', DELAY: '60000' })
  await fourRun(place)
  running.press(ctrlC)
  await new Promise(done => setTimeout(done, 300))
  running.press(ctrlC)
  expect(await running.done).toBe(cancelled)
  await until(() => place.processes().length === 0, { what: 'no orphans', limitMs: 3_000 })
  const state = await checkedState(place)
  expect(state.pending).toHaveLength(4)
  expect(state.pending.every(({ type }) => type === 'creating')).toBe(true)
  const next = succeeded(await place.run(up, { env: { COUNT: '12', DELAY: '0' } }))
  for (const { name } of state.pending) expect(next.out + next.err).toContain(name)
  expect(next.out + next.err).toContain('state pending import')
})

test('a dead deployment is closed by cancel, and its pending operations are named', async () => {
  const running = place.start([...up, '-p', '4'], { env: { COUNT: '12', DELAY: '60000' } })
  await fourRun(place)
  running.kill('SIGKILL', 'group')
  await running.done
  expect(succeeded(await place.run(cancel)).err).toContain('was cancelled')
  expect((await checkedState(place)).pending).toHaveLength(4)
  expect(succeeded(await place.run(cancel)).err).toContain('No deployment')
  expect((await stateOf(place)).pending).toHaveLength(4)
})
