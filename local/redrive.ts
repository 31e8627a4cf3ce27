import { redriveDeployment } from '../shared/engine/deployment/recovery/redrive.ts'
import { readHolderStatus } from '../shared/engine/deployment/ownership/holder-status.ts'
import { error } from '../shared/errors/error.ts'
import type { StackId } from '../shared/records/ids.ts'
import type { RedriveResult } from './engine-port.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'

/**
 * Sends the dead letters of a stack's current deployment again. An operation that has ended
 * meanwhile does not run again. Its message only repeats its arrivals at the operations that wait
 * for it. Throws STACK_NOT_FOUND.
 */
export async function redrive(ports: GeneratorPorts, stack: StackId): Promise<RedriveResult> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  const { current } = record
  if (current === '') return { kind: 'none' }
  const holderStatus = await readHolderStatus(ports, current)
  if (holderStatus.kind === 'over') return { kind: 'none' }
  const control = await ports.control.read(current)
  if (control?.closed === true) return { kind: 'none' }
  if (control !== undefined && control.stop !== 'none') return { kind: 'stopped' }
  // No redrive is needed if the process is gone: `antichain resume` sends every ready operation.
  if (control === undefined || holderStatus.kind === 'dead') return { kind: 'dead' }
  return redriveDeployment(ports, current)
}
