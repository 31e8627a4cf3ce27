import { expect, test } from 'vitest'
import { itemBytes, readUnits, writeUnits } from './model-capacity.ts'

test('an item is as large as its names and values', () => {
  expect(itemBytes({ pk: { S: 'ab' }, n: { N: '12345' }, no: { BOOL: false } })).toBe(4 + 5 + 3)
  expect(itemBytes({ set: { NS: ['7', '1200'] }, ä: { SS: ['x', 'yz'] } })).toBe(3 + 4 + 5)
})

test('writes are billed by the kilobyte and the larger of before and after, reads by four', () => {
  const kilobytes = (count: number) => ({ s: { S: 'x'.repeat(count * 1024 - 1) } })
  expect([
    writeUnits(),
    writeUnits(kilobytes(1)),
    writeUnits(kilobytes(2), { s: { S: '' } }),
  ]).toEqual([1, 1, 2])
  expect([readUnits(0, true), readUnits(4096, true), readUnits(4097, false)]).toEqual([1, 1, 1])
})
