import { createError } from '../../errors/error.ts'
import type { LateOutcome } from '../../records/late-outcome.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { JournalPorts } from '../compaction/fold-and-publish.ts'
import { exportState } from './export-state.ts'

/** Maximum number of late outcomes to read. One is enough to refuse the removal. */
const lateOutcomesMax = 100

/** Reads a stack and its inbox, and requires that both are empty; see `requireEmptyState`. */
export async function requireEmptyStack(ports: JournalPorts, id: StackId): Promise<void> {
  const lateOutcomes = await ports.catalog.listLateOutcomes(id, lateOutcomesMax)
  requireEmptyState(stackPartsOf(id).stack, await exportState(ports, id), lateOutcomes)
}

/**
 * Requires that the state of a stack is empty before the removal of the stack. Otherwise resources,
 * late outcomes and pending creates would be lost, because no other record names them (I9). Throws
 * STACK_NOT_EMPTY.
 */
export function requireEmptyState(
  stack: string,
  state: StoredDeployment | undefined,
  lateOutcomes: readonly Pick<LateOutcome, 'urn'>[],
): void {
  const count = state?.resources?.length ?? 0
  // Users of Pulumi's SDKs recognize the removal of a stack with resources by this text.
  const problem = 'still has resources; removal rejected'
  if (count > 0) throw createError('STACK_NOT_EMPTY', `the stack '${stack}' ${problem} (${count})`)
  if (lateOutcomes.length > 0) {
    const lateUrns = lateOutcomes.map(({ urn }) => urn).join(', ')
    throw createError(
      'STACK_NOT_EMPTY',
      `the stack '${stack}' has created objects that its state does not contain yet: ${lateUrns}`,
    )
  }
  const pendingOperations = state?.pending_operations ?? []
  const creates = pendingOperations.filter(({ type }) => type === 'creating')
  if (creates.length === 0) return
  const urns = creates.map(({ resource }) => resource.urn).join(', ')
  throw createError('STACK_NOT_EMPTY', `the stack '${stack}' has pending creates: ${urns}`, {
    hint: 'Find out whether they succeeded, and resolve them with `antichain state pending`; or pass --force.',
  })
}
