import { expect, test } from 'vitest'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { createWarmCache, type WarmRun } from './warm-cache.ts'

/** What is kept of a deployment, with what was ended of it. */
function createWarmRun(deployment: string, until = 100) {
  const ended: string[] = []
  const end = (what: string) => async (): Promise<void> => void ended.push(what)
  const environment = {
    monitor: { release: end('calls'), close: end('monitor') },
    plugins: { close: end('plugins') },
    processes: { close: end('processes') },
  }
  const made = {
    deployment: deployment as DeploymentId,
    environment,
    until: until as EpochMs,
  }
  return { made: made as unknown as WarmRun, ended }
}

const whole = ['calls', 'plugins', 'monitor', 'processes']
const one = 'organization/p/dev/1' as DeploymentId
const other = 'organization/p/dev/2' as DeploymentId

test('what was kept is taken once, by the same deployment', async () => {
  const warmCache = createWarmCache({ now: () => 0 as EpochMs })
  const { made, ended } = createWarmRun(one)
  await warmCache.keep(made)
  expect(await warmCache.take(one)).toBe(made)
  expect(await warmCache.take(one)).toBe(undefined)
  expect(ended).toEqual([])
})

test('another deployment finds nothing, and what was kept has ended before it goes on', async () => {
  const warmCache = createWarmCache({ now: () => 0 as EpochMs })
  const { made, ended } = createWarmRun(one)
  await warmCache.keep(made)
  expect(await warmCache.take(other)).toBe(undefined)
  expect(ended).toEqual(whole)
})

test('what is too old is ended, for its credentials end', async () => {
  let now = 0
  const warmCache = createWarmCache({ now: () => now as EpochMs })
  const { made, ended } = createWarmRun(one)
  await warmCache.keep(made)
  now = 100
  expect(await warmCache.take(one)).toBe(undefined)
  expect(ended).toEqual(whole)
})

test('one is kept: the one before it is ended', async () => {
  const warmCache = createWarmCache({ now: () => 0 as EpochMs })
  const [first, second] = [createWarmRun(one), createWarmRun(other)]
  await warmCache.keep(first.made)
  await warmCache.keep(second.made)
  expect([first.ended, second.ended]).toEqual([whole, []])
  await warmCache.release()
  expect(second.ended).toEqual(whole)
})
