import type { DeployInput } from '../../shared/engine/request.ts'
import type { DeploymentStart } from '../../shared/ports/catalog.ts'

/** Returns what the history records about the start of a deployment, except its time. Pure. */
export function createDeploymentStart(
  request: Pick<DeployInput, 'options' | 'by' | 'recordedConfig'>,
): Omit<DeploymentStart, 'at'> {
  const { options, by, recordedConfig: config } = request
  const { command, message, approval } = options
  return {
    command,
    message,
    ...(by === undefined ? {} : { by }),
    ...(approval === undefined ? {} : { approval: toHistoryApproval(approval) }),
    ...(config === undefined ? {} : { config }),
  }
}

/** Returns an approval without the key of its request. */
function toHistoryApproval({
  of: _of,
  ...approval
}: NonNullable<DeployInput['options']['approval']>): NonNullable<DeploymentStart['approval']> {
  return approval
}
