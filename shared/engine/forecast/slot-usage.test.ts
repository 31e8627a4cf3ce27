import { expect, test } from 'vitest'
import { computeSlotUsage } from './slot-usage.ts'

const intervalOf = (startMs: number, endMs: number) => ({ startMs, endMs })

test('the time in which all slots were in use is measured between any two times', () => {
  const usage = computeSlotUsage([intervalOf(0, 30), intervalOf(10, 20), intervalOf(15, 40)], 2)
  // Two or more operations ran from 10 to 30.
  expect(usage.allSlotsBusyMsBetween(0, 100)).toBe(20)
  expect(usage.allSlotsBusyMsBetween(12, 17)).toBe(5)
  expect(usage.allSlotsBusyMsBetween(25, 35)).toBe(5)
  expect(usage.allSlotsBusyMsBetween(50, 60)).toBe(0)
  expect(usage.allSlotsBusyMsBetween(20, 10)).toBe(0)
})

test('operations that follow each other without a pause use one slot', () => {
  const usage = computeSlotUsage([intervalOf(0, 10), intervalOf(10, 20)], 1)
  expect(usage.allSlotsBusyMsBetween(0, 20)).toBe(20)
  expect(
    computeSlotUsage([intervalOf(0, 10), intervalOf(10, 20)], 2).allSlotsBusyMsBetween(0, 20),
  ).toBe(0)
  expect(computeSlotUsage([], 1).allSlotsBusyMsBetween(0, 20)).toBe(0)
})
