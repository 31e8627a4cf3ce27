import { apiLimits } from '../config/api-limits.ts'
import { createError } from '../errors/error.ts'
import type { ClockPort } from '../ports/system.ts'

/** The requests that remain for one client, at the time of the last update. */
interface Bucket {
  readonly remainingRequests: number
  readonly updatedAtMs: number
}

/** The rate limit of a bucket: its capacity, and the requests that it regains per second. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/**
 * Takes one request from a bucket. Returns the new bucket and the wait: 0, or the time in ms until
 * an empty bucket has a request again. Pure.
 */
function takeFromBucket(
  bucket: Bucket | undefined,
  { burst, perSecond }: Rate,
  nowMs: number,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const refilledRequests =
    bucket === undefined
      ? burst
      : bucket.remainingRequests + ((nowMs - bucket.updatedAtMs) / 1000) * perSecond
  const remainingRequests = Math.min(burst, refilledRequests)
  if (remainingRequests >= 1)
    return { bucket: { remainingRequests: remainingRequests - 1, updatedAtMs: nowMs }, waitMs: 0 }
  return {
    bucket: { remainingRequests, updatedAtMs: nowMs },
    waitMs: ((1 - remainingRequests) / perSecond) * 1000,
  }
}

/** A limiter of the requests per client in this process. */
export interface RateLimiter {
  /**
   * Counts a request of a client. Throws API_RATE_LIMITED with `retryAfterSeconds` in its details.
   */
  readonly countRequest: (clientKey: string) => void
  /** Takes a counted request back, so that it does not count. */
  readonly discountRequest: (clientKey: string) => void
}

/**
 * Creates a limiter. Beyond `bucketsMax` clients, it forgets the client that has been idle for the
 * longest time. The next request of that client finds a full bucket.
 */
export function createRateLimiter(clock: Pick<ClockPort, 'monotonicMs'>, rate: Rate): RateLimiter {
  const buckets = new Map<string, Bucket>()
  return {
    countRequest(clientKey) {
      const { bucket, waitMs } = takeFromBucket(buckets.get(clientKey), rate, clock.monotonicMs())
      buckets.delete(clientKey)
      buckets.set(clientKey, bucket)
      const [oldestClient] = buckets.keys()
      if (buckets.size > apiLimits.bucketsMax && oldestClient !== undefined)
        buckets.delete(oldestClient)
      if (waitMs === 0) return
      const details = { retryAfterSeconds: Math.ceil(waitMs / 1000) }
      throw createError('API_RATE_LIMITED', 'too many requests', { details })
    },
    discountRequest(clientKey) {
      const bucket = buckets.get(clientKey)
      if (bucket === undefined) return
      const { remainingRequests, updatedAtMs } = bucket
      buckets.set(clientKey, { remainingRequests: remainingRequests + 1, updatedAtMs })
    },
  }
}

/** Creates the limiter of the requests per client address, with the rate of the API. */
export function createAddressLimiter(clock: Pick<ClockPort, 'monotonicMs'>): RateLimiter {
  const { addressBurst: burst, addressPerSecond: perSecond } = apiLimits
  return createRateLimiter(clock, { burst, perSecond })
}
