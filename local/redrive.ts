import {
  redriveDeployment,
  type RedriveStatus,
} from '../shared/engine/deployment/recovery/redrive.ts'
import { readHolderStatus } from '../shared/engine/deployment/ownership/holder-status.ts'
import { createError } from '../shared/errors/error.ts'
import { listOpenDeployments } from '../shared/ports/open-deployments.ts'
import type { DeploymentId, StackId } from '../shared/records/ids.ts'
import type { RedriveResult } from './engine-port.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'

/** The results without sent messages. The user sees the first one that a deployment has. */
const orderedKinds = ['dead', 'stopped', 'nothing'] as const

/**
 * Sends the dead letters of a stack's open deployments again. An operation that has ended meanwhile
 * does not run again. Its message only repeats its arrivals at the operations that wait for it. If
 * no message was sent, returns the result that matters most. Throws STACK_NOT_FOUND.
 */
export async function redrive(ports: GeneratorPorts, stack: StackId): Promise<RedriveResult> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined)
    throw createError('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  const results: RedriveResult[] = []
  for (const deployment of listOpenDeployments(record))
    results.push(await redriveOpenDeployment(ports, deployment))
  const counts = results.flatMap(result => (result.kind === 'sent' ? [result.operations] : []))
  if (counts.length > 0)
    return { kind: 'sent', operations: counts.reduce((sum, count) => sum + count, 0) }
  const kind = orderedKinds.find(orderedKind => results.some(result => result.kind === orderedKind))
  return { kind: kind ?? 'none' }
}

async function redriveOpenDeployment(
  ports: GeneratorPorts,
  deployment: DeploymentId,
): Promise<RedriveStatus | { readonly kind: 'dead' }> {
  const holderStatus = await readHolderStatus(ports, deployment)
  if (holderStatus.kind === 'over') return { kind: 'none' }
  const control = await ports.control.read(deployment)
  if (control?.closed === true) return { kind: 'none' }
  if (control !== undefined && control.stop !== 'none') return { kind: 'stopped' }
  // No redrive is needed if the process is gone: `antichain resume` sends every ready operation.
  if (control === undefined || holderStatus.kind === 'dead') return { kind: 'dead' }
  return redriveDeployment(ports, deployment)
}
