import { error } from '../../errors/error.ts'
import type { StoredDeployment } from '../../state/stored.ts'

/**
 * Requires an empty stack before its removal. Resources, late outcomes and pending creates would
 * otherwise be lost, because no other record names them (I9). Throws STACK_NOT_EMPTY.
 */
export function requireEmptyStack(
  stack: string,
  state: StoredDeployment | undefined,
  late: number,
): void {
  const count = (state?.resources?.length ?? 0) + late
  if (count > 0) throw error('STACK_NOT_EMPTY', `the stack '${stack}' still has ${count} resources`)
  const pending = state?.pending_operations ?? []
  const creates = pending.filter(({ type }) => type === 'creating')
  if (creates.length === 0) return
  const urns = creates.map(({ resource }) => resource.urn).join(', ')
  throw error('STACK_NOT_EMPTY', `the stack '${stack}' has pending creates: ${urns}`, {
    hint: 'Find out whether they succeeded, and resolve them with `antichain state pending`; or pass --force.',
  })
}
