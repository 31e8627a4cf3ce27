import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { cancelArgs, readCheckedState, waitForFourCreates } from './four-creates.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('many')
  await initDevStack(place)
})

afterEach(() => place.remove())

const cancelled = catalogue.DEPLOYMENT_CANCELLED.exit

test('a second Ctrl-C abandons the running operations, and the next run reports how to settle them', async () => {
  const running = startOnTerminal(place, [...upArgs, '-p', '4'], { COUNT: '12', DELAY: '60000' })
  await waitForFourCreates(place)
  running.press(ctrlC)
  await new Promise(done => setTimeout(done, 300))
  running.press(ctrlC)
  expect(await running.done).toBe(cancelled)
  await waitUntil(() => place.listProcesses().length === 0, { what: 'no orphans', limitMs: 3_000 })
  const state = await readCheckedState(place)
  expect(state.pending).toHaveLength(4)
  expect(state.pending.every(({ type }) => type === 'creating')).toBe(true)
  const next = requireSuccess(await place.run(upArgs, { env: { COUNT: '12', DELAY: '0' } }))
  for (const { name } of state.pending) expect(next.out + next.err).toContain(name)
  expect(next.out + next.err).toContain('state pending import')
})

test('cancel closes a dead deployment and names its pending operations', async () => {
  const running = place.start([...upArgs, '-p', '4'], { env: { COUNT: '12', DELAY: '60000' } })
  await waitForFourCreates(place)
  running.kill('SIGKILL', 'group')
  await running.done
  expect(requireSuccess(await place.run(cancelArgs)).err).toContain('was cancelled')
  expect((await readCheckedState(place)).pending).toHaveLength(4)
  expect(requireSuccess(await place.run(cancelArgs)).err).toContain('No deployment')
  expect((await readStackState(place)).pending).toHaveLength(4)
})
