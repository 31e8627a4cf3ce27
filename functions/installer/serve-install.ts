/**
 * installer: packs the program of a repository with its packages, for the generator that calls it.
 * It has no permissions, and one environment serves one call. The handler of both platforms is
 * `shared/runtime/programs/install-program.ts`.
 */
import { createHash } from 'node:crypto'
import { DeployError } from '../../shared/errors/error.ts'
import {
  type InstallAnswer,
  installCallForm,
  installErrorCodes,
} from '../../shared/runtime/programs/install-job.ts'
import {
  type InstallerDeps,
  installProgram,
} from '../../shared/runtime/programs/install-program.ts'
import { putPackedProgram } from '../../shared/runtime/programs/put-packed-program.ts'

/**
 * Installs the program of one call, and uploads it to the address in the call. Returns the errors
 * that the author of the program or of the webhook's rule can correct. Throws all other errors, and
 * zod's errors for a malformed event.
 */
export async function serveInstall(deps: InstallerDeps, event: unknown): Promise<InstallAnswer> {
  const { order: job, upload } = installCallForm.parse(event)
  try {
    const { archive, packages } = await installProgram(deps, job)
    await putPackedProgram(deps.clock, upload, archive)
    const contentHash = createHash('sha256').update(archive).digest('hex')
    return { kind: 'installed', contentHash, sizeBytes: archive.length, packages }
  } catch (thrown) {
    if (!(thrown instanceof DeployError)) throw thrown
    const code = installErrorCodes.find(installErrorCode => installErrorCode === thrown.code)
    if (code === undefined) throw thrown
    return { kind: 'refused', code, message: thrown.message, hint: thrown.hint }
  }
}
