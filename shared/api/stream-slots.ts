import { apiLimits } from '../config/api-limits.ts'
import { createError } from '../errors/error.ts'
import type { MarksPort } from '../ports/documents.ts'
import type { ClockPort, RandomPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'
import { createRateLimiter } from './rate-limit.ts'

/** Releases a slot. A repetition has no effect. */
export type ReleaseSlot = () => Promise<void>

/** The slots of event streams. An open stream holds one slot. */
export interface StreamSlots {
  /**
   * Takes a slot of a token. Throws API_RATE_LIMITED when the token or the installation has too
   * many open streams, or when the token opens too many in a short time. The details of the error
   * have `retryAfterSeconds`.
   */
  readonly take: (tokenId: string) => Promise<ReleaseSlot>
}

/** The dependencies of slots. */
export interface StreamSlotsDeps {
  readonly marks: MarksPort
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMs'>
  readonly random: Pick<RandomPort, 'bytes'>
  /** Maximum number of open streams of the installation. */
  readonly streamsMax: number
}

/**
 * Creates the slots. A stream has a mark of its token and a mark of the installation, because on
 * AWS each stream has a process of its own. A mark expires, so a stream whose process died does not
 * keep its slot.
 */
export function createStreamSlots(deps: StreamSlotsDeps): StreamSlots {
  const { marks, clock } = deps
  const { streamBurst: burst, streamsPerSecond: perSecond, tokenStreamsMax } = apiLimits
  const limiter = createRateLimiter(clock, { burst, perSecond })
  return {
    take: async tokenId => {
      limiter.countRequest(tokenId)
      const expiresAt = (clock.now() + apiLimits.streamSlotMs) as EpochMs
      // After the expiry, another stream may have taken the slot, so its mark must stay.
      const unmark = async (mark: string): Promise<void> => {
        if (clock.now() < expiresAt) await marks.unmark(mark)
      }
      const tokenSlots = { owner: 'the token', prefix: tokenId, slotCount: tokenStreamsMax }
      const tokenMark = await markFreeSlot(deps, tokenSlots, expiresAt)
      const allSlots = { owner: 'the installation', prefix: 'all', slotCount: deps.streamsMax }
      const allMark = await markFreeSlot(deps, allSlots, expiresAt).catch(async thrown => {
        await unmark(tokenMark)
        throw thrown
      })
      let isTaken = true
      return async () => {
        if (!isTaken) return
        isTaken = false
        await unmark(allMark)
        await unmark(tokenMark)
      }
    },
  }
}

/** The slots of a token or of the installation, numbered from 0. Their marks contain `prefix`. */
interface NumberedSlots {
  readonly owner: string
  readonly prefix: string
  readonly slotCount: number
}

/**
 * Marks a free slot, and returns its mark. The search begins at a random slot, so that streams that
 * open at the same time rarely compete. Throws API_RATE_LIMITED.
 */
async function markFreeSlot(
  { marks, random }: StreamSlotsDeps,
  { owner, prefix, slotCount }: NumberedSlots,
  expiresAt: EpochMs,
): Promise<string> {
  const [firstSlot = 0] = random.bytes(1)
  for (let offset = 0; offset < slotCount; offset += 1) {
    const mark = `stream ${prefix} ${(firstSlot + offset) % slotCount}`
    // A read costs less than a refused write.
    if (!(await marks.isMarked(mark)) && (await marks.mark(mark, expiresAt))) return mark
  }
  throw createError(
    'API_RATE_LIMITED',
    `${owner} has ${slotCount} open streams, which is the maximum`,
    {
      details: { retryAfterSeconds: 5 },
    },
  )
}
