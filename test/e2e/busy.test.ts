import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('small')
  await initDevStack(place)
})

afterEach(() => place.remove())

test('a second deployment fails immediately and names the holder; with --wait it runs afterwards', async () => {
  const first = place.start(upArgs, { env: { DELAY: '20000' } })
  await waitUntil(() => place.listCalls().some(({ call }) => call === 'check'), {
    what: 'the run of the first deployment',
  })
  const waiting = place.start([...upArgs, '--wait'])
  const second = await place.run(upArgs)
  expect(place.listObjects()).toEqual([])
  expectRefused(second, 'STACK_BUSY', [`process ${first.pid} `, 'antichain up'])
  const input = '{"version":3,"deployment":null}'
  const imported = await place.run(['stack', 'import', '-s', 'dev'], { input })
  expectRefused(imported, 'STACK_BUSY', [`process ${first.pid} `])
  requireSuccess(await first.done)
  requireSuccess(await waiting.done)
  expect(place.listObjects()).toHaveLength(1)
  expect((await readStackState(place)).resources.map(({ id }) => id)).toContain('thing-1')
  const history = requireSuccess(await place.run(['stack', 'history', '--json', '-s', 'dev'])).out
  expect(JSON.parse(history)).toHaveLength(2)
})
