import { redriveDeployment } from '../shared/engine/deployment/recovery/redrive.ts'
import { readHolderStatus } from '../shared/engine/deployment/ownership/take-over.ts'
import { error } from '../shared/errors/error.ts'
import type { StackId } from '../shared/records/ids.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'

/**
 * What a redrive came to: no deployment is open, its process is gone, it was told to stop, nothing
 * of it was given up, or so many operations are tried again.
 */
export type RedriveOutcome =
  | { readonly kind: 'none' | 'dead' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/**
 * Tries again what the queue has given up of the open deployment of a stack. What ended meanwhile
 * is not repeated: its message only redoes what its end releases. Throws STACK_NOT_FOUND.
 */
export async function redrive(ports: GeneratorPorts, stack: StackId): Promise<RedriveOutcome> {
  const record = await ports.catalog.getStack(stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `there is no stack '${stack}'`)
  const { current } = record
  if (current === '') return { kind: 'none' }
  const standing = await readHolderStatus(ports, current)
  if (standing.kind === 'over') return { kind: 'none' }
  const control = await ports.control.read(current)
  if (control?.closed === true) return { kind: 'none' }
  if (control !== undefined && control.stop !== 'none') return { kind: 'stopped' }
  // Its messages died with it: `resume` sends whatever is ready.
  if (control === undefined || standing.kind === 'dead') return { kind: 'dead' }
  return redriveDeployment(ports, current)
}
