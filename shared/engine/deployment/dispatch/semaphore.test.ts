import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

/**
 * Creates `count` slots, which named holders take and release. `held` lists the holders in the
 * order of acquisition.
 */
function createHolders(count: number) {
  const slots = createSemaphore(count)
  const held: string[] = []
  const releases = new Map<string, () => void>()
  return {
    held,
    take: (name: string): void =>
      void slots.acquire().then(release => {
        held.push(name)
        releases.set(name, release)
      }),
    release: (name: string): void => releases.get(name)?.(),
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
  }
}

test('no more slots are held than exist, and waiters acquire one in order', async () => {
  const { held, take, release, nextTurn } = createHolders(2)
  for (const name of ['a', 'b', 'c', 'd']) take(name)
  await nextTurn()
  expect(held).toEqual(['a', 'b'])
  release('b')
  await nextTurn()
  expect(held).toEqual(['a', 'b', 'c'])
  release('a')
  await nextTurn()
  expect(held).toEqual(['a', 'b', 'c', 'd'])
})

test('a second release of a slot has no effect', async () => {
  const { held, take, release, nextTurn } = createHolders(1)
  take('a')
  await nextTurn()
  release('a')
  release('a')
  take('b')
  take('c')
  await nextTurn()
  expect(held).toEqual(['a', 'b'])
})

test('suspended slots are given only after the end of all suspensions', async () => {
  const slots = createSemaphore(2)
  const resumeFirst = slots.suspend()
  const resumeSecond = slots.suspend()
  let isHeld = false
  void slots.acquire().then(() => (isHeld = true))
  const resumed = slots.waitUntilResumed()
  resumeFirst()
  resumeFirst()
  await new Promise(resolve => setImmediate(resolve))
  expect(isHeld).toBe(false)
  resumeSecond()
  expect(await resumed).toBe(true)
  await new Promise(resolve => setImmediate(resolve))
  expect(isHeld).toBe(true)
  expect(await slots.waitUntilResumed()).toBe(false)
})
