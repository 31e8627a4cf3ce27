import { error } from '../../errors/error.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import { deploymentPartsOf } from '../../records/ids.ts'
import type { StackServerDeps } from '../deployment/stack-server-deps.ts'
import { createProgramRequest, type ProgramRequestDeps } from './program-request.ts'

/**
 * Creates the functions that open requests and deployments whose program is an archive. A request
 * that names no archive uses the last program that was uploaded for its stack.
 */
export function createArchivedProgramOpener(
  requests: Pick<RequestsPort, 'getProgram'>,
  programs: ProgramRequestDeps,
): Pick<StackServerDeps, 'open' | 'reopen'> {
  return {
    open: async ({ stack, key, program, options, dryRun }) => {
      if (program.kind === 'repository')
        throw error('FEATURE_MISSING', 'programs of repositories cannot be opened here')
      const archive =
        program.kind === 'archive' ? program.archive : await requests.getProgram(stack)
      if (archive === undefined)
        throw error('PROJECT_NOT_FOUND', `no program was uploaded for the stack '${stack}'`, {
          hint: 'Upload it from its folder with `antichain deploy`.',
        })
      return createProgramRequest(programs, { stack, archive, options, dryRun, key })
    },
    reopen: async (deployment, { place: { archive }, options }) => {
      if (archive === undefined)
        throw error(
          'PROJECT_NOT_FOUND',
          `the program of deployment '${deployment}' is not an archive`,
        )
      const { stack } = deploymentPartsOf(deployment)
      return createProgramRequest(programs, { stack, archive, options, dryRun: false })
    },
  }
}
