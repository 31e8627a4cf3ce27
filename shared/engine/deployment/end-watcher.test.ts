import { expect, test } from 'vitest'
import { error } from '../../errors/error.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { freshHead } from '../../records/head.ts'
import { createEndWatcher } from './end-watcher.ts'

const id = 1 as OperationId

/** A watcher over a store that refuses the first `refusals` reads. */
function watching(refusals: number) {
  let left = refusals
  return createEndWatcher(
    {
      operations: {
        ends: () => {
          left -= 1
          if (left >= 0) return Promise.reject(error('STORE_UNAVAILABLE', 'a bad moment'))
          const head = { ...freshHead, end: { verdict: 'succeeded', attempt: 1 } } as const
          return Promise.resolve(new Map([[id, { head }]]))
        },
      },
      hints: { hint: () => undefined, listen: () => () => undefined },
      clock: {
        every: (_ms: number, call: () => void) => {
          queueMicrotask(call)
          return () => undefined
        },
        soon: (call: () => void) => queueMicrotask(call),
      } as never,
    },
    'd' as DeploymentId,
  )
}

test('a wait ends with what the head says', async () => {
  const end = await watching(0).wait(id)
  expect(end.head.end?.verdict).toBe('succeeded')
})

test('a read that fails meets every wait', async () => {
  await expect(watching(1).wait(id)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('who is told to settle waits no longer', async () => {
  const watcher = watching(Number.POSITIVE_INFINITY)
  const waiting = watcher.wait(id)
  await Promise.all([expect(waiting).rejects.toThrow(), watcher.settle(new Error('it is over'))])
  await expect(watcher.wait(id)).rejects.toThrow('it is over')
})
