import { createUrnSet } from '../../../names/urn-set.ts'
import type { Urn } from '../../../names/urn.ts'
import type { Claim } from '../../../records/claim.ts'
import type { Targeting } from '../../../records/targeting.ts'
import { pendingOperationsOf } from '../../../state/pending.ts'
import { referencedUrnsOf } from '../../../state/referenced-urns.ts'
import type { StoredDeployment } from '../../../state/stored.ts'

/**
 * Returns the claim of a targeted deployment, which depends on the published state. The deployment
 * may change the targets, and their dependents if the targeting includes them. It reads the
 * resources that the targets and dependents refer to. A target outside of the state is claimed too,
 * because the program may register it. So is a target that is only in a pending operation. Linear.
 * Pure.
 */
export function claimOfTargets(stored: StoredDeployment, targeting: Targeting): Claim {
  const { resources = [] } = stored
  const targets = createUrnSet(targeting.targets)
  const changes = new Set<string>(targets.literals)
  const reads = new Set<string>()
  for (const state of resources) {
    const references = referencedUrnsOf(state)
    const isDependent = targeting.targetDependents && references.some(urn => changes.has(urn))
    if (!targets.has(state.urn as Urn) && !isDependent) continue
    changes.add(state.urn)
    for (const urn of references) reads.add(urn)
  }
  for (const { resource } of pendingOperationsOf(stored))
    if (targets.has(resource.urn as Urn)) changes.add(resource.urn)
  return { changes, reads }
}
