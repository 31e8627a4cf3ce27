import { expect, test } from 'vitest'
import { createSystemRandom } from './random.ts'

test.each([1, 32, 4_096, 10_000])('values of %i bytes have this length, and differ', count => {
  const random = createSystemRandom()
  const values = Array.from({ length: 300 }, () => random.bytes(count))
  expect(values.every(value => value.length === count)).toBe(true)
  if (count >= 32)
    expect(new Set(values.map(value => Buffer.from(value).toString('hex'))).size).toBe(300)
})

test('a value stays the same when later values are requested', () => {
  const random = createSystemRandom()
  const value = random.bytes(32)
  const copy = Uint8Array.from(value)
  for (let index = 0; index < 300; index++) random.bytes(32)
  expect(value).toEqual(copy)
})
