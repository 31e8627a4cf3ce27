import { isStopped } from './resume-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import { readHolderStatus } from '../../shared/engine/deployment/ownership/holder-status.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'

/**
 * The status of a stack's current deployment, for users. `none`: the stack has no unfinished
 * deployment. `running`: its process is alive, or counts as alive. `interrupted`: its process is
 * gone, and `antichain resume` would continue it. `ending`: its process is gone, and the deployment
 * can only be closed. Such a deployment was stopped, was closing, has no pin, or belongs to a
 * client of Pulumi.
 */
export type DeploymentStatus =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running' | 'interrupted' | 'ending'
      readonly number: number
    }

/**
 * Returns the status of an open deployment of a stack, by default of its current one. Returns
 * `none` also for a missing stack.
 */
export async function readDeploymentStatus(
  ports: GeneratorPorts,
  stack: StackId,
  openDeployment?: DeploymentId,
): Promise<DeploymentStatus> {
  const deployment = openDeployment ?? (await ports.catalog.getStack(stack))?.current ?? ''
  if (deployment === '') return { kind: 'none' }
  const { number } = deploymentPartsOf(deployment)
  const holderStatus = await readHolderStatus(ports, deployment)
  if (holderStatus.kind === 'over') return { kind: 'none' }
  if (holderStatus.kind === 'held') return { kind: 'running', number }
  const wasStopped = await isStopped(ports, deployment)
  const { pin, closing } = await readLogView(ports, deployment)
  const canContinue = pin !== undefined && pin.client === undefined && closing === undefined
  const isEnding = wasStopped || !canContinue
  return { kind: isEnding ? 'ending' : 'interrupted', number }
}
