import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { cancel, checkedState, fourRun } from './four-creates.ts'
import { createPlace, type Place, succeeded } from './place.ts'
import { initStack, up } from './state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('many')
  await initStack(place)
})

afterEach(() => place.remove())

const cancelled = catalogue.DEPLOYMENT_CANCELLED.exit

test('after Ctrl-C what runs is ended and recorded, and nothing more is begun', async () => {
  const running = startOnTerminal(place, [...up, '-p', '4'], { COUNT: '12', DELAY: '2500' })
  await fourRun(place)
  running.press(ctrlC)
  expect(await running.done).toBe(cancelled)
  expect(running.screen()).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await checkedState(place)
  expect(state.pending).toEqual([])
  const made = state.resources.filter(({ name }) => name.startsWith('thing-'))
  expect(made.length).toBeGreaterThan(0)
  expect(made.length).toBeLessThanOrEqual(4)
  expect(place.objects()).toHaveLength(made.length)
  expect(place.processes()).toEqual([])
  succeeded(await place.run(up, { env: { COUNT: '12', DELAY: '0' } }))
})

test('a living deployment is cancelled from another process', async () => {
  // On a busy machine the other command needs seconds to start, and nothing may end meanwhile.
  const running = place.start([...up, '-p', '4'], { env: { COUNT: '12', DELAY: '8000' } })
  await fourRun(place)
  succeeded(await place.run(cancel))
  const ran = await running.done
  expect(ran.exit).toBe(cancelled)
  expect(ran.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await checkedState(place)
  expect(state.pending).toEqual([])
  expect(place.objects().length).toBeLessThanOrEqual(4)
})
