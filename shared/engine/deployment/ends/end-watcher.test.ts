import { expect, test } from 'vitest'
import { createError } from '../../../errors/error.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { freshHead } from '../../../records/head.ts'
import { createEndWatcher } from './end-watcher.ts'

const id = 1 as OperationId

/** Creates a watcher over a store that refuses the first `refusals` reads. */
function createWatcher(refusals: number, isEnded = true) {
  let refusalsLeft = refusals
  let nowMs = 0
  return createEndWatcher(
    {
      operations: {
        getEnds: () => {
          refusalsLeft -= 1
          if (refusalsLeft >= 0)
            return Promise.reject(createError('STORE_UNAVAILABLE', 'the store is unavailable'))
          const end = isEnded ? { end: { verdict: 'succeeded', attempt: 1 } as const } : {}
          return Promise.resolve(new Map([[id, { head: { ...freshHead, ...end } }]]))
        },
      },
      hints: { hint: () => undefined, listen: () => () => undefined },
      clock: {
        repeat: (_ms: number, call: () => void) => {
          queueMicrotask(call)
          return () => undefined
        },
        // Every clock reading is a minute after the previous one.
        monotonicMs: () => (nowMs += 60_000),
        defer: (call: () => void) => queueMicrotask(call),
      } as never,
    },
    'd' as DeploymentId,
  )
}

test('a wait resolves with the end in the head', async () => {
  const end = await createWatcher(0).wait(id)
  expect(end.head.end?.verdict).toBe('succeeded')
})

test('every wait for an operation resolves with its end', async () => {
  const watcher = createWatcher(0)
  const ends = await Promise.all([watcher.wait(id), watcher.wait(id)])
  expect(ends.map(({ head }) => head.end?.verdict)).toEqual(['succeeded', 'succeeded'])
})

test('a failed read rejects the wait', async () => {
  await expect(createWatcher(1).wait(id)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

// The last read finds no end in the first case, and fails in the second one.
test.each([0, 1])(
  '`settleWaits` rejects current and later waits after %i failed reads',
  async n => {
    const watcher = createWatcher(n, false)
    const waiting = watcher.wait(id)
    await Promise.all([
      expect(waiting).rejects.toThrow('it is over'),
      watcher.settleWaits(new Error('it is over')),
    ])
    await expect(watcher.wait(id)).rejects.toThrow('it is over')
  },
)

test('`settleWaits` resolves a wait for an ended operation', async () => {
  const watcher = createWatcher(0)
  const waiting = watcher.wait(id)
  await watcher.settleWaits(new Error('it is over'))
  expect((await waiting).head.end?.verdict).toBe('succeeded')
})

test('a slow operation is polled with growing pauses, and a hint triggers a read immediately', async () => {
  let nowMs = 0
  let isEnded = false
  const reads: number[] = []
  let poll = (): void => undefined
  let hint = (_id: OperationId): void => undefined
  const watcher = createEndWatcher(
    {
      operations: {
        getEnds: async () => {
          reads.push(nowMs / 1_000)
          const end = isEnded ? { end: { verdict: 'succeeded', attempt: 1 } as const } : {}
          return new Map([[id, { head: { ...freshHead, ...end } }]])
        },
      },
      hints: {
        hint: () => undefined,
        listen: (_of, onHint) => {
          hint = onHint
          return () => undefined
        },
      },
      clock: {
        repeat: (_ms: number, call: () => void) => {
          poll = call
          return () => undefined
        },
        monotonicMs: () => nowMs,
        defer: (call: () => void) => queueMicrotask(call),
      } as never,
    },
    'd' as DeploymentId,
  )
  const waiting = watcher.wait(id)
  for (nowMs = 2_000; nowMs <= 60_000; nowMs += 2_000) {
    poll()
    await new Promise(setImmediate)
  }
  expect(reads).toEqual([2, 4, 8, 16, 32, 48])
  isEnded = true
  nowMs = 60_500
  hint(id)
  expect((await waiting).head.end?.verdict).toBe('succeeded')
})
