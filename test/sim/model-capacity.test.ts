import { expect, test } from 'vitest'
import { countWriteUnits, itemBytesOf } from '../../shared/platform/aws/dynamo/table/item-size.ts'
import { readUnits } from './model-capacity.ts'

test('itemBytesOf counts the bytes of the names and values of an item', () => {
  expect(itemBytesOf({ pk: { S: 'ab' }, n: { N: '12345' }, no: { BOOL: false } })).toBe(4 + 5 + 3)
  expect(itemBytesOf({ set: { NS: ['7', '1200'] }, ä: { SS: ['x', 'yz'] } })).toBe(3 + 4 + 5)
})

test('writes are billed per kilobyte of the larger of old and new item, reads per four kilobytes', () => {
  const itemOf = (kilobytes: number) => ({ s: { S: 'x'.repeat(kilobytes * 1024 - 1) } })
  expect([
    countWriteUnits(),
    countWriteUnits(itemOf(1)),
    countWriteUnits(itemOf(2), { s: { S: '' } }),
  ]).toEqual([1, 1, 2])
  expect([readUnits(0, true), readUnits(4096, true), readUnits(4097, false)]).toEqual([1, 1, 1])
})
