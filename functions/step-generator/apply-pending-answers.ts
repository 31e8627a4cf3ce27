import { requireLateWindowOver } from '../../shared/engine/deployment/retention/late-window.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import {
  clearPendingCreates,
  importPendingCreate,
  pendingOperationsOf,
} from '../../shared/state/pending.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/**
 * Returns the base of a deployment, changed by the user's answers about its pending creates.
 * `stored` is the published state, without late outcomes. Throws PENDING_STILL_RUNS, and the errors
 * of `importPendingCreate`.
 */
export async function applyPendingAnswers(
  ports: GeneratorPorts,
  { pendingCreates: { existingIds, mustClearOthers } }: DeployInput,
  { base, stored }: { readonly base: StoredDeployment; readonly stored: StoredDeployment },
): Promise<StoredDeployment> {
  let answeredBase = base
  for (const [urn, id] of existingIds) {
    // A resource that was found by a late outcome needs no answer any more.
    const isFoundLate = isPending(stored, urn) && !isPending(answeredBase, urn)
    if (!isFoundLate) answeredBase = importPendingCreate(answeredBase, urn, id)
  }
  if (!mustClearOthers) return answeredBase
  await requireLateWindowOver(ports, answeredBase)
  return clearPendingCreates(answeredBase)
}

function isPending(state: StoredDeployment, urn: string): boolean {
  return pendingOperationsOf(state).some(({ resource }) => resource.urn === urn)
}
