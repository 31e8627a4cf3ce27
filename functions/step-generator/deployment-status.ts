import { isStopped } from './resume-deployment.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { readLogView } from '../../shared/engine/deployment/log/log-view.ts'
import { readHolderStatus } from '../../shared/engine/deployment/ownership/take-over.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'

/**
 * How the current deployment of a stack stands, for people. `running`: its process lives.
 * `interrupted`: that is gone, and `antichain resume` would go on. `ending`: it is gone too, but
 * nothing more is to be begun: it can only be closed.
 */
export type DeploymentStatus =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running' | 'interrupted' | 'ending'
      readonly number: number
    }

/** How the current deployment of a stack stands; `none` too for a stack that is not there. */
export async function readDeploymentStatus(
  ports: GeneratorPorts,
  stack: StackId,
): Promise<DeploymentStatus> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined || record.current === '') return { kind: 'none' }
  const { number } = deploymentPartsOf(record.current)
  const standing = await readHolderStatus(ports, record.current)
  if (standing.kind === 'over') return { kind: 'none' }
  if (standing.kind === 'held') return { kind: 'running', number }
  const wasStopped = await isStopped(ports, record.current)
  const { pin, closing } = await readLogView(ports, record.current)
  const isEnding = wasStopped || pin === undefined || closing !== undefined
  return { kind: isEnding ? 'ending' : 'interrupted', number }
}
