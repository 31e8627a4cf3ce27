import { expect, test } from 'vitest'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { createWarmCache, type WarmRun } from './warm-cache.ts'

/** Creates a cached environment of a deployment, and a list of its ended parts. */
function createWarmRun(deployment: string, expiresAt = 100) {
  const ended: string[] = []
  const createEnd = (part: string) => async (): Promise<void> => void ended.push(part)
  const environment = {
    trace: { endRun: () => undefined },
    monitor: { release: createEnd('calls'), close: createEnd('monitor') },
    plugins: { close: createEnd('plugins') },
    processes: { close: createEnd('processes') },
  }
  const warmRun = {
    deployment: deployment as DeploymentId,
    environment,
    expiresAt: expiresAt as EpochMs,
  }
  return { warmRun: warmRun as unknown as WarmRun, ended }
}

const allParts = ['calls', 'plugins', 'monitor', 'processes']
const one = 'organization/p/dev/1' as DeploymentId
const other = 'organization/p/dev/2' as DeploymentId

test('a cached environment is taken once, by the same deployment', async () => {
  const warmCache = createWarmCache({ now: () => 0 as EpochMs })
  const { warmRun, ended } = createWarmRun(one)
  await warmCache.keep(warmRun)
  expect(await warmCache.take(one)).toBe(warmRun)
  expect(await warmCache.take(one)).toBe(undefined)
  expect(ended).toEqual([])
})

test('another deployment gets no environment, and waits until the cached one has ended', async () => {
  const warmCache = createWarmCache({ now: () => 0 as EpochMs })
  const { warmRun, ended } = createWarmRun(one)
  await warmCache.keep(warmRun)
  expect(await warmCache.take(other)).toBe(undefined)
  expect(ended).toEqual(allParts)
})

test('an expired environment is ended, because its credentials expire', async () => {
  let now = 0
  const warmCache = createWarmCache({ now: () => now as EpochMs })
  const { warmRun, ended } = createWarmRun(one)
  await warmCache.keep(warmRun)
  now = 100
  expect(await warmCache.take(one)).toBe(undefined)
  expect(ended).toEqual(allParts)
})

test('a new environment replaces and ends the cached one', async () => {
  const warmCache = createWarmCache({ now: () => 0 as EpochMs })
  const [first, second] = [createWarmRun(one), createWarmRun(other)]
  await warmCache.keep(first.warmRun)
  await warmCache.keep(second.warmRun)
  expect([first.ended, second.ended]).toEqual([allParts, []])
  await warmCache.release()
  expect(second.ended).toEqual(allParts)
})
