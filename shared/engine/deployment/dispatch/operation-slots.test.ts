import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createOperationSlots, type OperationSlots } from './operation-slots.ts'

/**
 * Starts operations by name. `begun` lists the operations that have begun, and `calling` those that
 * call their provider, each in order.
 */
function startOperations(slots: OperationSlots) {
  const begun: string[] = []
  const calling: string[] = []
  const start = async (name: string, beginsEarly: boolean) => {
    const slot = await slots.acquire({ beginsEarly })
    begun.push(name)
    await slot.waitForCall()
    calling.push(name)
    return slot
  }
  return { begun, calling, start }
}

test('one call and one early begin are possible with one slot', async () => {
  const { begun, calling, start } = startOperations(createOperationSlots(1))
  const first = start('a', true)
  for (const name of ['b', 'c', 'd']) void start(name, true)
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
  const first = start('a', false)
  void start('b', false)
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
  const first = start('a', true)
  void start('b', true)
  const slot = await first
  const resume = slots.suspend()
  slot.release()
  void start('c', true)
  await nextTurn()
  expect(begun).toEqual(['a', 'b'])
  expect(calling).toEqual(['a'])
  resume()
  expect(await slots.waitUntilResumed()).toBe(false)
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c'])
  expect(calling).toEqual(['a', 'b'])
})

test('a limited number of operations is loaded, and each ended load lets another one in', async () => {
  const slots = createOperationSlots(1)
  const endLoads: (() => void)[] = []
  for (let index = 0; index < 300; index++)
    void slots.acquireLoad().then(endLoad => endLoads.push(endLoad))
  await nextTurn()
  expect(endLoads).toHaveLength(256)
  endLoads[0]?.()
  endLoads[0]?.()
  await nextTurn()
  expect(endLoads).toHaveLength(257)
})
