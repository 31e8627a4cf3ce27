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

/**
 * Reports whether a request previews the commit of a webhook whose rule does not trust it. A rule
 * deploys commits without a check of this kind, so a deployment is reviewed.
 */
function isUnreviewed({ dryRun, origin, program }: DeploymentRequest): boolean {
  return (
    dryRun &&
    origin?.kind === 'webhook' &&
    program.kind === 'repository' &&
    program.previewWithDeployRole !== true
  )
}
