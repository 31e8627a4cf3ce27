import type { RequestsPort } from '../../ports/requests.ts'
import type { DeploymentRequest } from '../../records/request.ts'
import type { StackServer } from '../deployment/stack-server-deps.ts'

/**
 * Returns an opener that adds the configuration of the stack's last deployed program to an
 * unreviewed preview. Without such a program, this configuration is empty. Throws the errors of
 * `open`, also for the last deployed program.
 */
export function openWithReviewedConfig(
  open: StackServer['open'],
  requests: Pick<RequestsPort, 'getProgram'>,
): StackServer['open'] {
  return async request => {
    const deployRequest = await open(request)
    if (!isUnreviewed(request)) return deployRequest
    const archive = await requests.getProgram(request.stack)
    const reviewedConfig =
      archive === undefined
        ? new Map()
        : (await open({ ...request, program: { kind: 'archive', archive } })).config
    return { ...deployRequest, reviewedConfig }
  }
}

/** Reports whether a request runs the commit of a pull request whose rule does not trust it. */
function isUnreviewed({ origin, program }: DeploymentRequest): boolean {
  const isPullRequest = origin?.kind === 'webhook' && origin.pullRequest !== undefined
  return isPullRequest && program.kind === 'repository' && program.previewWithDeployRole !== true
}
