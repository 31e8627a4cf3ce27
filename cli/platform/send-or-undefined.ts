import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'

/** The error names that services use for missing resources. */
const missingNames = new Set([
  'ResourceNotFoundException',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'NotFound',
  'NotFoundException',
  'NoSuchBucket',
  'ClusterNotFoundException',
])
const deniedPattern = /AccessDenied|NotAuthorized|UnauthorizedOperation/

/**
 * Returns the response of a request, or undefined if its resource is missing. Throws
 * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function sendOrUndefined<Found>(
  send: () => Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await send()
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : ''
    if (missingNames.has(name)) return undefined
    if (deniedPattern.test(name) || httpStatusOfError(thrown) === 403)
      throw createError('PLATFORM_PERMISSION_MISSING', messageOf(thrown), { cause: thrown })
    throw createError('PLATFORM_FAILED', `a request to AWS failed: ${messageOf(thrown)}`, {
      cause: thrown,
      hint: 'Check the network and the region, and run the command again.',
    })
  }
}

const serviceErrorForm = z.object({ $metadata: z.object({ httpStatusCode: z.number() }) })

/**
 * Returns the HTTP status of an error, if it has one. The status is needed for HEAD requests,
 * because their responses have no body with an error name.
 */
function httpStatusOfError(thrown: unknown): number | undefined {
  const parsed = serviceErrorForm.safeParse(thrown)
  return parsed.success ? parsed.data.$metadata.httpStatusCode : undefined
}
