import { inBatches } from '../shared/engine/deployment/log-view.ts'
import { standingOf } from '../shared/engine/deployment/take-over.ts'
import { error } from '../shared/errors/error.ts'
import type { StackId } from '../shared/records/ids.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'

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
  const record = await ports.catalog.stack(stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `there is no stack '${stack}'`)
  const { current } = record
  if (current === '') return { kind: 'none' }
  const standing = await standingOf(ports, current)
  if (standing.kind === 'over') return { kind: 'none' }
  const control = await ports.control.read(current)
  if (control?.closed === true) return { kind: 'none' }
  if (control !== undefined && control.stop !== 'none') return { kind: 'stopped' }
  // Its messages died with it: `resume` sends whatever is ready.
  if (control === undefined || standing.kind === 'dead') return { kind: 'dead' }
  const letters = await ports.chains.deadLetters(current)
  const ids = [...new Set(letters.flatMap(({ operations }) => operations))]
  let open = ids.length
  for (const batch of inBatches(ids, 500))
    for (const head of (await ports.operations.heads(current, batch)).values())
      if (head.end !== undefined) open -= 1
  if (open === 0) return { kind: 'nothing' }
  await ports.chains.redrive(current)
  return { kind: 'sent', operations: open }
}
