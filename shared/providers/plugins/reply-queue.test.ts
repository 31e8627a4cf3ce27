import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReplyQueue } from './reply-queue.ts'

test('replies are delivered in order, over several turns of the event loop', async () => {
  const deliverReply = createReplyQueue()
  const delivered: number[] = []
  for (let index = 0; index < 100; index++) deliverReply(() => void delivered.push(index))
  expect(delivered).toEqual([])
  const counts: number[] = []
  while (delivered.length < 100) {
    await nextTurn()
    counts.push(delivered.length)
  }
  expect(counts.length).toBeGreaterThan(3)
  expect(delivered).toEqual(Array.from({ length: 100 }, (_, index) => index))
})

test('a reply that arrives while others are delivered follows them', async () => {
  const deliverReply = createReplyQueue()
  const delivered: string[] = []
  deliverReply(() => {
    delivered.push('first')
    deliverReply(() => void delivered.push('third'))
  })
  deliverReply(() => void delivered.push('second'))
  while (delivered.length < 3) await nextTurn()
  expect(delivered).toEqual(['first', 'second', 'third'])
})
