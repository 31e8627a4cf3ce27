import { apiLimits } from '../../shared/config/api-limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { MarksPort } from '../../shared/ports/documents.ts'
import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { createRateLimiter } from './rate-limit.ts'

/** Releases a slot. A repetition has no effect. */
export type ReleaseSlot = () => Promise<void>

/** The slots of event streams. A stream has one while it is open. */
export interface StreamSlots {
  /**
   * Takes a slot of a token. Throws API_RATE_LIMITED when the token or this process has too many
   * open streams, or when the token opens too many in a short time. The details of the error have
   * `retryAfterSeconds`.
   */
  readonly take: (tokenId: string) => Promise<ReleaseSlot>
}

/** Dependencies of slots. */
export interface StreamSlotsDeps {
  readonly marks: MarksPort
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMs'>
  readonly random: Pick<RandomPort, 'bytes'>
}

/**
 * Creates the slots. The slots of a token are marks of the installation, because on AWS each stream
 * has a process of its own. A mark expires, so a stream whose process died does not keep its slot.
 */
export function createStreamSlots(deps: StreamSlotsDeps): StreamSlots {
  const { marks, clock } = deps
  const { streamBurst: burst, streamsPerSecond: perSecond } = apiLimits
  const limiter = createRateLimiter(clock, { burst, perSecond })
  let openCount = 0
  return {
    take: async tokenId => {
      limiter.countRequest(tokenId)
      if (openCount >= apiLimits.streamsMax)
        throw createLimitError('too many streams are open in this process')
      openCount += 1
      const expiresAt = (clock.now() + apiLimits.streamSlotMs) as EpochMs
      const mark = await markFreeSlot(deps, tokenId, expiresAt).catch((thrown: unknown) => {
        openCount -= 1
        throw thrown
      })
      let isTaken = true
      return async () => {
        if (!isTaken) return
        isTaken = false
        openCount -= 1
        // Another stream may have an expired mark.
        if (clock.now() < expiresAt) await marks.unmark(mark)
      }
    },
  }
}

/**
 * Marks a free slot of a token, and returns its name. The search begins at a random slot, so that
 * streams that open at the same time rarely compete. Throws API_RATE_LIMITED.
 */
async function markFreeSlot(
  { marks, random }: StreamSlotsDeps,
  tokenId: string,
  expiresAt: EpochMs,
): Promise<string> {
  const { tokenStreamsMax } = apiLimits
  const [firstSlot = 0] = random.bytes(1)
  for (let offset = 0; offset < tokenStreamsMax; offset += 1) {
    const mark = `stream ${tokenId} ${(firstSlot + offset) % tokenStreamsMax}`
    // A read costs less than a refused write.
    if (!(await marks.isMarked(mark)) && (await marks.mark(mark, expiresAt))) return mark
  }
  throw createLimitError(`the token has ${tokenStreamsMax} open streams, which is the maximum`)
}

function createLimitError(message: string): Error {
  return error('API_RATE_LIMITED', message, { details: { retryAfterSeconds: 5 } })
}
