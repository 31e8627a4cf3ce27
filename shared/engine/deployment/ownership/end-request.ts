import type { ControlPort } from '../../../ports/records.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import { deploymentPartsOf, type DeploymentId } from '../../../records/ids.ts'
import type { Pin } from '../log/log-view.ts'

/** What ending a request asks. */
export interface EndRequestDeps {
  readonly control: Pick<ControlPort, 'stop'>
  /** The queues of stacks, where deployments are asked for through them. */
  readonly requests?: Pick<RequestsPort, 'end' | 'find'>
}

/**
 * A request ends with the pin of its deployment, and again with each take-over: it is one. When it
 * was withdrawn a moment before, the deployment is told to stop.
 */
export async function endRequest(
  { requests, control }: EndRequestDeps,
  deployment: DeploymentId,
  pin: Pin | undefined,
): Promise<void> {
  if (pin?.request === undefined || requests === undefined) return
  const { stack } = deploymentPartsOf(deployment)
  await requests.end(stack, pin.request, { kind: 'started', deployment })
  const existingEnd = (await requests.find(stack, pin.request))?.end
  if (existingEnd?.kind === 'refused') await control.stop(deployment, 'graceful')
}
