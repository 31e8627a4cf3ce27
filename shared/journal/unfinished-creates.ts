import type { ClientStep } from '../records/client-decision.ts'
import type { Decision } from '../records/log.ts'
import { isReplacementPending } from '../state/pending.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'

/**
 * Returns the resources whose create a client began but did not end. The client sends no journal,
 * so its reported steps are the only source. They arrive in any order, and some of them twice.
 * Returns none if the client reported the end of its update, because a client first awaits every
 * step.
 */
export function findUnfinishedCreates(
  checkpoint: StoredDeployment,
  decisions: readonly Decision[],
): readonly StoredResource[] {
  const lastBegins = new Map<string, ClientStep>()
  const lastEndSequences = new Map<string, number>()
  for (const decision of decisions) {
    if (decision.kind === 'closing' && ['succeeded', 'failed'].includes(decision.result)) return []
    if (decision.kind !== 'client-steps') continue
    for (const step of decision.steps) {
      const { urn } = step.resource
      if (step.phase === 'end')
        lastEndSequences.set(urn, Math.max(step.sequence, lastEndSequences.get(urn) ?? -1))
      else if (step.sequence >= (lastBegins.get(urn)?.sequence ?? -1)) lastBegins.set(urn, step)
    }
  }
  return [...lastBegins.values()]
    .filter(step => step.sequence > (lastEndSequences.get(step.resource.urn) ?? -1))
    .filter(step => !hasCreatedObject(checkpoint, step))
    .map(({ resource }) => resource)
}

/**
 * Reports whether a checkpoint contains the object that a create made. A replaced object has the
 * same URN, but another id (`oldId`).
 */
function hasCreatedObject(
  { resources = [] }: StoredDeployment,
  { resource: { urn }, oldId }: ClientStep,
): boolean {
  return resources.some(
    resource =>
      resource.urn === urn &&
      resource['delete'] !== true &&
      !isReplacementPending(resource) &&
      resource['id'] !== oldId,
  )
}
