import type { StackId } from '../records/ids.ts'
import type { DeploymentRequest, RequestRecord } from '../records/stack-request.ts'
import { findApprovalPeriodMs } from '../runtime/approvals/approval-rule.ts'
import type { ApiPorts } from './define-route.ts'
import { putRequestOnce } from './put-request.ts'

/** The default of `parallel`. It is high, because functions start on demand. */
export const requestParallelDefault = 1_000

/** The error code of a withdrawn request. */
export const withdrawnCode = 'DEPLOYMENT_CANCELLED'

/**
 * Puts a request and sends a nudge. The archive of an `up` that is no preview becomes the program
 * of the stack, so that a schedule does not deploy an older program. If the `up` needs an approval,
 * its archive becomes the program when its plan is approved. Throws the errors of `putRequestOnce`.
 */
export async function requestDeployment(
  ports: Pick<ApiPorts, 'requests' | 'nudges' | 'documents'>,
  newRequest: DeploymentRequest,
  requireValid: () => Promise<void>,
): Promise<RequestRecord> {
  const { stack, program, dryRun, options } = newRequest
  const storedRequest = await putRequestOnce(ports, newRequest, requireValid)
  // The process that put the request may have died before this point, so a repeated request
  // continues here.
  if (storedRequest.end === undefined) {
    const isProgramOfStack = program.kind === 'archive' && !dryRun && options.command === 'up'
    if (isProgramOfStack && (await findApprovalPeriodMs(ports.documents, newRequest)) === undefined)
      await ports.requests.putProgram(stack, program.archive)
    await ports.nudges.nudge(stack, 0)
  }
  return storedRequest
}

/** Ends a request as withdrawn. Has no effect if the request has ended already. */
export async function withdrawWaitingRequest(
  { requests }: Pick<ApiPorts, 'requests'>,
  stack: StackId,
  key: string,
): Promise<void> {
  await requests.end(stack, key, {
    kind: 'refused',
    code: withdrawnCode,
    message: 'the request was withdrawn before it began',
  })
}
