import { expect, test } from 'vitest'
import { error } from '../../errors/error.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { freshHead } from '../../records/head.ts'
import { createEndWatcher } from './end-watcher.ts'

const id = 1 as OperationId

/** A watcher over a store that refuses the first `refusals` reads, by a clock without waiting. */
function watching(refusals: number) {
  const pauses: number[] = []
  const said: string[] = []
  let nowMs = 0
  let left = refusals
  const watcher = createEndWatcher(
    {
      operations: {
        ends: () => {
          left -= 1
          if (left >= 0) return Promise.reject(error('STORE_UNAVAILABLE', 'a bad moment'))
          const head = { ...freshHead, end: { verdict: 'succeeded', attempt: 1 } } as const
          return Promise.resolve(new Map([[id, { head }]]))
        },
      } as never,
      hints: { hint: () => undefined, listen: () => () => undefined },
      random: { bytes: () => new Uint8Array([255]) },
      clock: {
        now: () => nowMs,
        monotonicMs: () => nowMs,
        sleep: (ms: number) => {
          pauses.push(ms)
          nowMs += ms
          return Promise.resolve()
        },
        every: (_ms: number, call: () => void) => {
          queueMicrotask(call)
          return () => undefined
        },
        soon: (call: () => void) => queueMicrotask(call),
      } as never,
      journal: { write: (_level, event) => void said.push(event) },
    },
    'd' as DeploymentId,
  )
  return { watcher, pauses, said }
}

test('a read that the store refuses is tried again with growing pauses, and told once', async () => {
  const { watcher, pauses, said } = watching(4)
  const end = await watcher.wait(id)
  expect(end.head.end?.verdict).toBe('succeeded')
  expect(pauses).toEqual([100, 200, 400, 800])
  expect(said).toEqual(['ends.unread'])
})

test('a store that stays away meets every wait, in bounded time', async () => {
  const { watcher, pauses } = watching(Number.POSITIVE_INFINITY)
  await expect(watcher.wait(id)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(pauses.length).toBeLessThan(20)
})

test('a watcher that is told to settle tries no longer', async () => {
  const { watcher, pauses } = watching(Number.POSITIVE_INFINITY)
  const waiting = watcher.wait(id)
  await Promise.all([
    expect(waiting).rejects.toThrow('it is over'),
    watcher.settle(new Error('it is over')),
  ])
  expect(pauses.length).toBeLessThan(3)
})
