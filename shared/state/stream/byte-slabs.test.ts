import { expect, test } from 'vitest'
import { createByteSlabs } from './byte-slabs.ts'

test('joined slabs have all bytes in order', async () => {
  const slabs = createByteSlabs()
  const parts = [0, 1, 70_000, 3, 200_000, 0, 500_000].map((size, index) =>
    new Uint8Array(size).fill(index),
  )
  for (const part of parts) slabs.add(part)
  expect(Buffer.compare(await slabs.join(), Buffer.concat(parts))).toBe(0)
})

test('an empty collection has no bytes', async () => {
  expect(await createByteSlabs().join()).toHaveLength(0)
})
