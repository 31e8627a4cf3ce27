import { expect, test } from 'vitest'
import { createRateLimiter } from './rate-limit.ts'

test('a request that is taken back does not count, and the bucket never exceeds its capacity', () => {
  const limiter = createRateLimiter({ monotonicMs: () => 0 }, { burst: 2, perSecond: 1 })
  limiter.discountRequest('a')
  for (let request = 0; request < 5; request += 1) {
    limiter.countRequest('a')
    limiter.discountRequest('a')
  }
  limiter.countRequest('a')
  limiter.countRequest('a')
  expect(() => limiter.countRequest('a')).toThrow('too many requests')
  limiter.countRequest('b')
})
