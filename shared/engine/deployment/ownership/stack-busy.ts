import { error } from '../../../errors/error.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'

/** Creates the error for a stack that another deployment holds. */
export function createBusyError(deployment: DeploymentId, holder: Holder, hint?: string): Error {
  const holderText = `${holder.who} (process ${holder.pid} on ${holder.host})`
  return error(
    'STACK_BUSY',
    `deployment ${deploymentPartsOf(deployment).number} of this stack is held by ${holderText}`,
    hint === undefined ? {} : { hint },
  )
}

/**
 * Throws STACK_BUSY for a request that has ended: another process served the request after this
 * process had read it as waiting. This process already holds the stack, so no other process can end
 * the request after the check.
 */
export async function requireWaitingRequest(
  { requests }: { readonly requests?: Pick<RequestsPort, 'find'> },
  { stack, key }: { readonly stack: StackId; readonly key?: string },
): Promise<void> {
  if (key === undefined || requests === undefined) return
  if ((await requests.find(stack, key))?.end === undefined) return
  throw error('STACK_BUSY', `another process has served the request '${key}'`)
}
