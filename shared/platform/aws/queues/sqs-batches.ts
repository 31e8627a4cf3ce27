import { awsLimits } from '../../../config/aws-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { createAwsError } from '../aws-error.ts'
import { splitBySize } from '../split-by-size.ts'

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
  bytesOf: (entry: Entry) => number,
): readonly (readonly Entry[])[] {
  const { batchEntriesMax: countMax, messageBytesMax: bytesMax } = awsLimits
  return splitBySize(entries, { countMax, bytesMax }, bytesOf)
}

/**
 * Sends one batch until all entries are processed, with growing pauses between the attempts. Throws
 * the error of `createAwsError` when a request fails or the service rejects an entry. Throws
 * STORE_UNAVAILABLE after the last attempt. In each case, some entries may have been processed.
 */
export async function completeBatch<Entry extends { readonly Id: string | undefined }>(
  clock: ClockPort,
  requestName: string,
  entries: readonly Entry[],
  send: (entries: Entry[]) => Promise<readonly BatchFailure[]>,
): Promise<void> {
  let remainingEntries = entries
  for (let attempt = 1; remainingEntries.length > 0; attempt += 1) {
    const attemptedEntries = remainingEntries
    const failures = await send([...attemptedEntries]).catch((thrown: unknown) => {
      throw createAwsError(requestName, thrown)
    })
    const rejection = failures.find(failure => failure.SenderFault === true)
    if (rejection !== undefined) throw createAwsError(requestName, toSdkError(rejection))
    remainingEntries = attemptedEntries.filter(({ Id }) =>
      failures.some(failure => failure.Id === Id),
    )
    if (remainingEntries.length === 0) return
    if (attempt === awsLimits.batchAttemptsMax)
      throw createError(
        'STORE_UNAVAILABLE',
        `${requestName} failed: ${remainingEntries.length} entries of a batch were not processed`,
        {
          details: {
            what: requestName,
            codes: [...new Set(failures.map(failure => failure.Code ?? ''))],
          },
        },
      )
    await clock.sleep(awsLimits.retryPauseMs * 2 ** (attempt - 1))
  }
}

/** Converts a rejected entry to an error with the fields of an SDK error. */
function toSdkError({ Code = 'unknown', Message = '' }: BatchFailure): Error {
  const sdkError = new Error(Message)
  sdkError.name = Code
  return Object.assign(sdkError, { $metadata: { httpStatusCode: 400 } })
}
