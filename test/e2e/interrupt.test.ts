import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { cancelArgs, readCheckedState, waitForFourCreates } from './four-creates.ts'
import { createPlace, type Place, requireSuccess } from './place.ts'
import { initDevStack, upArgs } from './exported-state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('many')
  await initDevStack(place)
})

afterEach(() => place.remove())

const cancelled = catalogue.DEPLOYMENT_CANCELLED.exit

test('after Ctrl-C the running operations end and are recorded, and no further one begins', async () => {
  const running = startOnTerminal(place, [...upArgs, '-p', '4'], { COUNT: '12', DELAY: '2500' })
  await waitForFourCreates(place)
  running.press(ctrlC)
  expect(await running.done).toBe(cancelled)
  expect(running.readScreen()).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await readCheckedState(place)
  expect(state.pending).toEqual([])
  const made = state.resources.filter(({ name }) => name.startsWith('thing-'))
  expect(made.length).toBeGreaterThan(0)
  expect(made.length).toBeLessThanOrEqual(4)
  expect(place.listObjects()).toHaveLength(made.length)
  expect(place.listProcesses()).toEqual([])
  requireSuccess(await place.run(upArgs, { env: { COUNT: '12', DELAY: '0' } }))
})

test('a running deployment is cancelled from another process', async () => {
  // On a busy machine the other command needs seconds to start. No operation may end before that.
  const running = place.start([...upArgs, '-p', '4'], { env: { COUNT: '12', DELAY: '8000' } })
  await waitForFourCreates(place)
  requireSuccess(await place.run(cancelArgs))
  const ran = await running.done
  expect(ran.exit).toBe(cancelled)
  expect(ran.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await readCheckedState(place)
  expect(state.pending).toEqual([])
  expect(place.listObjects().length).toBeLessThanOrEqual(4)
})
