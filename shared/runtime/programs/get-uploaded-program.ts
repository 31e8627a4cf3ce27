import { programLimits } from '../../config/program-limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'

/**
 * Reads the archive of an uploaded program from an address of S3, with retries. Throws
 * INSTALL_FAILED.
 */
export async function getUploadedProgram(
  clock: Pick<ClockPort, 'sleep'>,
  address: string,
): Promise<Uint8Array> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    const result = await getBytes(address)
    if (typeof result !== 'string') return result
    if (tryNumber === programLimits.fetchTriesMax)
      throw createError('INSTALL_FAILED', `the uploaded program could not be read: ${result}`, {
        hint: 'Deploy again; the log of the installer has the reason.',
      })
    await clock.sleep(programLimits.fetchPauseMs * 2 ** (tryNumber - 1))
  }
}

/** Returns the bytes at an address, or the reason of a failure. */
async function getBytes(address: string): Promise<Uint8Array | string> {
  try {
    const response = await fetch(address, { redirect: 'error' })
    if (response.ok) return new Uint8Array(await response.arrayBuffer())
    await response.body?.cancel()
    return `status ${response.status}`
  } catch (thrown) {
    return messageOf(thrown)
  }
}
