import { awsLimits } from '../../../config/aws-limits.ts'
import { error } from '../../../errors/error.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { awsError } from '../aws-error.ts'

/** An entry of a batch that the service did not process. */
export interface BatchFailure {
  readonly Id: string | undefined
  readonly SenderFault: boolean | undefined
  readonly Code: string | undefined
  readonly Message?: string | undefined
}

/**
 * Splits entries into batches within the limits of SQS: at most 10 entries, at most 1 MiB. An entry
 * above the size limit gets its own batch, which SQS refuses.
 */
export function splitIntoBatches<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
): readonly (readonly Entry[])[] {
  const batches: Entry[][] = []
  let bytes = 0
  for (const entry of entries) {
    const size = sizeOf(entry)
    const last = batches.at(-1)
    const fits = last !== undefined && bytes + size <= awsLimits.messageBytesMax
    if (fits && last.length < awsLimits.batchMax) {
      last.push(entry)
      bytes += size
    } else {
      batches.push([entry])
      bytes = size
    }
  }
  return batches
}

/**
 * Completes one batch: unprocessed entries are sent again with growing pauses. Throws for an entry
 * that the service rejects, and STORE_UNAVAILABLE after the last attempt. Some entries may have
 * been processed then.
 */
export async function completeBatch<Entry extends { readonly Id: string | undefined }>(
  clock: ClockPort,
  what: string,
  entries: readonly Entry[],
  send: (entries: Entry[]) => Promise<readonly BatchFailure[]>,
): Promise<void> {
  let left = entries
  for (let tries = 1; left.length > 0; tries += 1) {
    const unfinished = left
    const refused = await send([...unfinished]).catch((thrown: unknown) => {
      throw awsError(what, thrown)
    })
    const fault = refused.find(one => one.SenderFault === true)
    if (fault !== undefined) throw awsError(what, namedError(fault))
    left = unfinished.filter(({ Id }) => refused.some(one => one.Id === Id))
    if (left.length === 0) return
    if (tries === awsLimits.batchTriesMax)
      throw error(
        'STORE_UNAVAILABLE',
        `${what} failed: ${left.length} entries of a batch were not processed`,
        {
          details: { what, codes: [...new Set(refused.map(one => one.Code ?? ''))] },
        },
      )
    await clock.sleep(awsLimits.batchPauseMs * 2 ** (tries - 1))
  }
}

/** Converts a refused entry to an error like those of the SDK. */
function namedError({ Code = 'unknown', Message = '' }: BatchFailure): Error {
  const thrown = new Error(Message)
  thrown.name = Code
  return Object.assign(thrown, { $metadata: { httpStatusCode: 400 } })
}
