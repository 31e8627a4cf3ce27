import { expect, test } from 'vitest'
import { createFifo } from './fifo.ts'

test('a queue returns its items in the order in which they were added', () => {
  const fifo = createFifo<number>()
  expect(fifo.take()).toBeUndefined()
  const taken: (number | undefined)[] = []
  for (let item = 0; item < 10; item++) {
    fifo.add(2 * item)
    fifo.add(2 * item + 1)
    taken.push(fifo.take())
  }
  for (let item = 0; item < 10; item++) taken.push(fifo.take())
  expect(taken).toEqual(Array.from({ length: 20 }, (_, index) => index))
  expect(fifo.take()).toBeUndefined()
})
