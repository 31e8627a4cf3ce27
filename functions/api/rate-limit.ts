import { apiLimits } from '../../shared/config/api-limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { ClockPort } from '../../shared/ports/system.ts'

/** The state of a bucket. */
interface Bucket {
  readonly left: number
  readonly atMs: number
}

/** The capacity and refill rate of a bucket. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Takes from a bucket. Undefined when it is empty. Pure. */
function takeFromBucket(
  bucket: Bucket | undefined,
  { burst, perSecond }: Rate,
  nowMs: number,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const grown =
    bucket === undefined ? burst : bucket.left + ((nowMs - bucket.atMs) / 1000) * perSecond
  const left = Math.min(burst, grown)
  if (left >= 1) return { bucket: { left: left - 1, atMs: nowMs }, waitMs: 0 }
  return { bucket: { left, atMs: nowMs }, waitMs: ((1 - left) / perSecond) * 1000 }
}

/** Limits the requests per name in this process. */
export interface RateLimiter {
  /** Counts a request. Throws API_RATE_LIMITED with `retryAfterSeconds` in its details. */
  readonly take: (name: string) => void
}

/** Creates a limiter. Beyond its capacity, the oldest names start with a full bucket. */
export function createRateLimiter(clock: Pick<ClockPort, 'monotonicMs'>, rate: Rate): RateLimiter {
  const buckets = new Map<string, Bucket>()
  return {
    take(name) {
      const { bucket, waitMs } = takeFromBucket(buckets.get(name), rate, clock.monotonicMs())
      buckets.delete(name)
      buckets.set(name, bucket)
      const [oldest] = buckets.keys()
      if (buckets.size > apiLimits.bucketsMax && oldest !== undefined) buckets.delete(oldest)
      if (waitMs === 0) return
      const details = { retryAfterSeconds: Math.ceil(waitMs / 1000) }
      throw error('API_RATE_LIMITED', 'too many requests', { details })
    },
  }
}
