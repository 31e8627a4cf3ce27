import { apiLimits } from '../../shared/config/api-limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { ClockPort } from '../../shared/ports/system.ts'

/** What one bucket has left. */
interface Bucket {
  readonly left: number
  readonly atMs: number
}

/** How much a bucket holds, and how fast it is filled again. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** A bucket once something was taken: undefined for none that there is. Pure. */
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

/** Bounds what each name may ask for in this process. */
export interface RateLimiter {
  /** Throws API_RATE_LIMITED with `retryAfterSeconds` in its details. */
  readonly take: (name: string) => void
}

/** Makes a limiter; of more names than it keeps the oldest begin anew. */
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
