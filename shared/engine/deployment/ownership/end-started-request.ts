import type { ControlPort } from '../../../ports/records.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import { deploymentPartsOf, type DeploymentId } from '../../../records/ids.ts'
import type { Pin } from '../log/log-view.ts'

/** The dependencies of the end of a request whose deployment has started. */
export interface EndStartedRequestDeps {
  readonly control: Pick<ControlPort, 'stop'>
  /** The request queues of stacks. Absent where requests are not queued. */
  readonly requests?: Pick<RequestsPort, 'end' | 'find'>
}

/**
 * Ends the request of a deployment, because a request ends when its deployment starts. Called at
 * the pin and again at each take-over, with the same result. A withdrawn request has the end
 * `refused`. If a request was withdrawn before this call, it keeps that end, and the deployment is
 * stopped.
 */
export async function endStartedRequest(
  { requests, control }: EndStartedRequestDeps,
  deployment: DeploymentId,
  pin: Pin | undefined,
): Promise<void> {
  if (pin?.request === undefined || requests === undefined) return
  const { stack } = deploymentPartsOf(deployment)
  await requests.end(stack, pin.request, { kind: 'started', deployment })
  const existingEnd = (await requests.find(stack, pin.request))?.end
  if (existingEnd?.kind === 'refused') await control.stop(deployment, 'graceful')
}
