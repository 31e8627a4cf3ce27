import { expect, test } from 'vitest'
import { computeBackoffMs } from './backoff.ts'

const pauses = { firstPauseMs: 100, longestPauseMs: 3_000 }
const createConstantRandom = (byte: number) => ({ bytes: () => new Uint8Array([byte]) })

test('the pause doubles up to the maximum', () => {
  const pausesWithoutJitter = [0, 1, 2, 10].map(number =>
    computeBackoffMs(number, pauses, createConstantRandom(255)),
  )
  expect(pausesWithoutJitter).toEqual([100, 200, 400, 3_000])
})

test('jitter shortens a pause by at most a half', () => {
  expect(computeBackoffMs(3, pauses, createConstantRandom(0))).toBe(400)
  expect(computeBackoffMs(3, pauses, createConstantRandom(128))).toBe(601)
})
