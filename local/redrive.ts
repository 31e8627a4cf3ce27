import { redriveDeployment } from '../shared/engine/deployment/recovery/redrive.ts'
import { readHolderStatus } from '../shared/engine/deployment/ownership/take-over.ts'
import { error } from '../shared/errors/error.ts'
import type { StackId } from '../shared/records/ids.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'

/**
 * The outcome of a redrive: no open deployment, its process is gone, it was stopped, no dead
 * letters, or the number of operations sent again.
 */
export type RedriveOutcome =
  | { readonly kind: 'none' | 'dead' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/**
 * Sends the dead letters of a stack's open deployment again. An operation that has ended meanwhile
 * does not run again; its message only repeats the releases of its end. Throws STACK_NOT_FOUND.
 */
export async function redrive(ports: GeneratorPorts, stack: StackId): Promise<RedriveOutcome> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  const { current } = record
  if (current === '') return { kind: 'none' }
  const standing = await readHolderStatus(ports, current)
  if (standing.kind === 'over') return { kind: 'none' }
  const control = await ports.control.read(current)
  if (control?.closed === true) return { kind: 'none' }
  if (control !== undefined && control.stop !== 'none') return { kind: 'stopped' }
  // Its messages were lost with its process: `resume` sends every ready operation.
  if (control === undefined || standing.kind === 'dead') return { kind: 'dead' }
  return redriveDeployment(ports, current)
}
