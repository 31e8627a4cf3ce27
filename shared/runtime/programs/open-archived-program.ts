import { createError } from '../../errors/error.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import { deploymentPartsOf, type StackId } from '../../records/ids.ts'
import type { StackServerDeps } from '../deployment/stack-server-deps.ts'
import { createArchiveDeployRequest, type ProgramRequestDeps } from './program-request.ts'

/**
 * Creates the functions that return the `DeployInput` of a queued request, or of a deployment to
 * resume, whose program is an archive. A request for the program of the kind `last` uses the last
 * program of its stack (`RequestsPort.getProgram`). The functions throw FEATURE_MISSING for a
 * program of a repository, PROJECT_NOT_FOUND for a missing one, and the errors of
 * `createArchiveDeployRequest`.
 */
export function createArchivedProgramOpener(
  requests: Pick<RequestsPort, 'getProgram'>,
  programs: ProgramRequestDeps,
): Pick<StackServerDeps, 'open' | 'reopen'> {
  return {
    open: async ({ stack, key, program, options, dryRun }) => {
      if (program.kind === 'repository')
        throw createError('FEATURE_MISSING', 'this server cannot open the program of a repository')
      const archive =
        program.kind === 'archive' ? program.archive : await requests.getProgram(stack)
      if (archive === undefined) throw createNoProgramError(stack)
      return createArchiveDeployRequest(programs, { stack, archive, options, dryRun, key })
    },
    reopen: async (deployment, { place: { archive }, options }) => {
      if (archive === undefined)
        throw createError(
          'PROJECT_NOT_FOUND',
          `the program of deployment '${deployment}' is not an archive`,
        )
      const { stack } = deploymentPartsOf(deployment)
      return createArchiveDeployRequest(programs, { stack, archive, options, dryRun: false })
    },
  }
}

/** Returns the error for a stack whose program was never uploaded. */
export function createNoProgramError(stack: StackId): Error {
  return createError('PROJECT_NOT_FOUND', `no program was uploaded for the stack '${stack}'`, {
    hint: 'Upload it from its folder with `antichain deploy`.',
  })
}
