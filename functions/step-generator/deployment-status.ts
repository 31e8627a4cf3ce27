import { isStopped } from './resume-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import { readHolderStatus } from '../../shared/engine/deployment/ownership/holder-status.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'

/**
 * The status of a stack's current deployment, for users. `none`: the stack has no unfinished
 * deployment. `running`: its process is alive, or counts as alive. `interrupted`: its process is
 * gone, and `antichain resume` would continue it. `ending`: its process is gone, and the deployment
 * can only be closed. It was stopped, was closing, has no pin, or belongs to a client of Pulumi.
 */
export type DeploymentStatus =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running' | 'interrupted' | 'ending'
      readonly number: number
    }

/** Returns the status of a stack's current deployment, and `none` also for a missing stack. */
export async function readDeploymentStatus(
  ports: GeneratorPorts,
  stack: StackId,
): Promise<DeploymentStatus> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined || record.current === '') return { kind: 'none' }
  const { number } = deploymentPartsOf(record.current)
  const holderStatus = await readHolderStatus(ports, record.current)
  if (holderStatus.kind === 'over') return { kind: 'none' }
  if (holderStatus.kind === 'held') return { kind: 'running', number }
  const wasStopped = await isStopped(ports, record.current)
  const { pin, closing } = await readLogView(ports, record.current)
  const canContinue = pin !== undefined && pin.client === undefined && closing === undefined
  const isEnding = wasStopped || !canContinue
  return { kind: isEnding ? 'ending' : 'interrupted', number }
}
