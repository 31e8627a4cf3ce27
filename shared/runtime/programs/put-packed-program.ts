import { programLimits } from '../../config/program-limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { InstallCall } from './install-job.ts'

/**
 * Uploads a packed program to an address of S3, with retries. The status 412 means that an object
 * exists, possibly from an earlier attempt, and counts as success. The generator compares the
 * object's bytes with the answer of the installer. Throws INSTALL_FAILED.
 */
export async function putPackedProgram(
  clock: Pick<ClockPort, 'sleep'>,
  { url, headers }: InstallCall['upload'],
  archive: Uint8Array,
): Promise<void> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    const failure = await putBytes(url, headers, archive)
    if (failure === undefined) return
    if (tryNumber === programLimits.uploadTriesMax)
      throw createError('INSTALL_FAILED', `the packed program could not be uploaded: ${failure}`, {
        hint: 'Push or deploy again; the log of the installer has the reason.',
      })
    await clock.sleep(programLimits.fetchPauseMs * 2 ** (tryNumber - 1))
  }
}

/** Puts bytes to an address. Returns the reason of a failure, or undefined after a success. */
async function putBytes(
  url: string,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): Promise<string | undefined> {
  try {
    const body = Buffer.from(bytes)
    const response = await fetch(url, { method: 'PUT', headers, body, redirect: 'error' })
    await response.body?.cancel()
    return response.ok || response.status === 412 ? undefined : `status ${response.status}`
  } catch (thrown) {
    return messageOf(thrown)
  }
}
