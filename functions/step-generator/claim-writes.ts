import { withClaims } from '../../shared/engine/deployment/claims/claiming-writer.ts'
import type { LogWriter } from '../../shared/engine/deployment/log/log-writer.ts'
import type { Pin } from '../../shared/engine/deployment/log/log-view.ts'
import { createBusyError } from '../../shared/engine/deployment/ownership/stack-busy.ts'
import { createError } from '../../shared/errors/error.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/**
 * Returns a log writer for a targeted deployment. It claims the resources of each decision before
 * it appends the decision. Returns `writer` itself for a deployment of the whole stack.
 */
export function claimWrites(
  ports: GeneratorPorts,
  writer: LogWriter,
  pinned: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<LogWriter> {
  const createConflictError = async (conflict: {
    readonly deployment: DeploymentId
    readonly urn: string
  }): Promise<Error> => {
    const { deployment, urn } = conflict
    const control = await ports.control.read(deployment)
    if (control !== undefined)
      return createBusyError(ports, deployment, { holder: control.holder, urn })
    const { number } = deploymentPartsOf(deployment)
    return createError('STACK_BUSY', `deployment ${number} of this stack claims '${urn}'`)
  }
  return withClaims({ ...ports, createConflictError }, writer, pinned)
}
