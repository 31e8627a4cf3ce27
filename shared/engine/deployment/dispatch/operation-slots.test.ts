import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { limits } from '../../../config/limits.ts'
import { createOperationSlots, type EarlyBegin, type OperationSlots } from './operation-slots.ts'

/** Starts operations by name. The lists have the names that may begin and call, in their order. */
function startOperations(slots: OperationSlots) {
  const begun: string[] = []
  const calling: string[] = []
  const start = async (name: string, earlyBegin: EarlyBegin) => {
    const slot = await slots.acquire({ earlyBegin })
    begun.push(name)
    await slot.waitForCall()
    calling.push(name)
    return slot
  }
  return { begun, calling, start }
}

test('one call and one early begin are possible with one slot', async () => {
  const { begun, calling, start } = startOperations(createOperationSlots(1))
  const first = start('a', 'change')
  for (const name of ['b', 'c', 'd']) void start(name, 'change')
  await nextTurn()
  expect(begun).toEqual(['a', 'b'])
  expect(calling).toEqual(['a'])
  const slot = await first
  slot.release()
  slot.release()
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c'])
  expect(calling).toEqual(['a', 'b'])
})

test('an operation that must not begin early begins when it may call', async () => {
  const { begun, calling, start } = startOperations(createOperationSlots(1))
  const first = start('a', 'none')
  void start('b', 'none')
  await nextTurn()
  expect(begun).toEqual(['a'])
  ;(await first).release()
  await nextTurn()
  expect(begun).toEqual(['a', 'b'])
  expect(calling).toEqual(['a', 'b'])
})

test('nothing begins or calls while the slots are suspended', async () => {
  const slots = createOperationSlots(1)
  const { begun, calling, start } = startOperations(slots)
  const first = start('a', 'change')
  void start('b', 'change')
  const slot = await first
  const resume = slots.suspend()
  slot.release()
  void start('c', 'change')
  await nextTurn()
  expect(begun).toEqual(['a', 'b'])
  expect(calling).toEqual(['a'])
  resume()
  expect(await slots.waitUntilResumed()).toBe(false)
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c'])
  expect(calling).toEqual(['a', 'b'])
})

test('more reads than slots begin early, and only as many as slots call', async () => {
  const { begun, calling, start } = startOperations(createOperationSlots(2))
  const reads = Array.from({ length: 100 }, (_, index) => start(`r${index}`, 'read'))
  await nextTurn()
  expect(begun).toHaveLength(limits.earlyReadsMax + 2)
  expect(calling).toEqual(['r0', 'r1'])
  ;(await reads[0])?.release()
  await nextTurn()
  expect(begun).toHaveLength(limits.earlyReadsMax + 3)
  expect(calling).toEqual(['r0', 'r1', 'r2'])
})

test('no read begins while the slots are suspended', async () => {
  const slots = createOperationSlots(1)
  const { begun, start } = startOperations(slots)
  const resume = slots.suspend()
  void start('a', 'read')
  await nextTurn()
  expect(begun).toEqual([])
  resume()
  await nextTurn()
  expect(begun).toEqual(['a'])
})
