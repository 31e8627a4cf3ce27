import { error } from '../../shared/errors/error.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import { deploymentPartsOf } from '../../shared/records/ids.ts'
import type { StackServer } from '../step-generator/serve-stack.ts'
import { programRequest, type ProgramRequestDeps } from './program-request.ts'

/** How requests and deployments are found again by the archives that they name. */
export function archivedRequests(
  requests: Pick<RequestsPort, 'program'>,
  programs: ProgramRequestDeps,
): Pick<StackServer, 'open' | 'reopen'> {
  return {
    open: async ({ stack, key, program, options, dryRun }) => {
      if (program.kind === 'repository')
        throw error('FEATURE_MISSING', 'the program of a repository cannot be opened here')
      const archive = program.kind === 'archive' ? program.archive : await requests.program(stack)
      if (archive === undefined)
        throw error('PROJECT_NOT_FOUND', `no program was uploaded for the stack '${stack}'`, {
          hint: 'Upload it from its folder with `antichain deploy`.',
        })
      return programRequest(programs, { stack, archive, options, dryRun, key })
    },
    reopen: async (deployment, { place: { archive }, options }) => {
      if (archive === undefined)
        throw error('PROJECT_NOT_FOUND', `the program of deployment '${deployment}' is no archive`)
      const { stack } = deploymentPartsOf(deployment)
      return programRequest(programs, { stack, archive, options, dryRun: false })
    },
  }
}
