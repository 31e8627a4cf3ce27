import { expect, test } from 'vitest'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { createWarmth, type Warm } from './warmth.ts'

/** What is kept of a deployment, with what was ended of it. */
function warm(deployment: string, until = 100) {
  const ended: string[] = []
  const end = (what: string) => async (): Promise<void> => void ended.push(what)
  const surroundings = {
    monitor: { release: end('calls'), close: end('monitor') },
    plugins: { close: end('plugins') },
    processes: { close: end('processes') },
  }
  const made = { deployment: deployment as DeploymentId, surroundings, until: until as EpochMs }
  return { made: made as unknown as Warm, ended }
}

const whole = ['calls', 'plugins', 'monitor', 'processes']
const one = 'organization/p/dev/1' as DeploymentId
const other = 'organization/p/dev/2' as DeploymentId

test('what was kept is taken once, by the same deployment', async () => {
  const warmth = createWarmth({ now: () => 0 as EpochMs })
  const { made, ended } = warm(one)
  await warmth.keep(made)
  expect(await warmth.take(one)).toBe(made)
  expect(await warmth.take(one)).toBe(undefined)
  expect(ended).toEqual([])
})

test('another deployment finds nothing, and what was kept has ended before it goes on', async () => {
  const warmth = createWarmth({ now: () => 0 as EpochMs })
  const { made, ended } = warm(one)
  await warmth.keep(made)
  expect(await warmth.take(other)).toBe(undefined)
  expect(ended).toEqual(whole)
})

test('what is too old is ended, for its credentials end', async () => {
  let now = 0
  const warmth = createWarmth({ now: () => now as EpochMs })
  const { made, ended } = warm(one)
  await warmth.keep(made)
  now = 100
  expect(await warmth.take(one)).toBe(undefined)
  expect(ended).toEqual(whole)
})

test('one is kept: the one before it is ended', async () => {
  const warmth = createWarmth({ now: () => 0 as EpochMs })
  const [first, second] = [warm(one), warm(other)]
  await warmth.keep(first.made)
  await warmth.keep(second.made)
  expect([first.ended, second.ended]).toEqual([whole, []])
  await warmth.release()
  expect(second.ended).toEqual(whole)
})
