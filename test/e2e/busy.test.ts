import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, stateOf, up } from './state.ts'

let place: Place

beforeEach(async () => {
  place = createPlace('small')
  await initStack(place)
})

afterEach(() => place.remove())

test('a second deployment fails at once and names the holder; with --wait it comes after', async () => {
  const first = place.start(up, { env: { DELAY: '20000' } })
  await until(() => place.calls().some(({ call }) => call === 'check'), { what: 'the first runs' })
  const waiting = place.start([...up, '--wait'])
  const second = await place.run(up)
  expect(place.objects()).toEqual([])
  expectRefused(second, 'STACK_BUSY', [`process ${first.pid} `, 'antichain up'])
  const input = '{"version":3,"deployment":null}'
  const imported = await place.run(['stack', 'import', '-s', 'dev'], { input })
  expectRefused(imported, 'STACK_BUSY', [`process ${first.pid} `])
  succeeded(await first.done)
  succeeded(await waiting.done)
  expect(place.objects()).toHaveLength(1)
  expect((await stateOf(place)).resources.map(({ id }) => id)).toContain('thing-1')
  const history = succeeded(await place.run(['stack', 'history', '--json', '-s', 'dev'])).out
  expect(JSON.parse(history)).toHaveLength(2)
})
