import type { ClientStep } from '../records/client-decision.ts'
import type { Decision } from '../records/log.ts'
import { isReplacementPending } from '../state/pending.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'

/**
 * Returns the resources whose creates a client without a journal began and did not end, according
 * to the steps that it reported. Returns none when the client itself reported the end of the
 * update: it has then awaited every step. Steps arrive in any order and more than once.
 */
export function findUnfinishedCreates(
  checkpoint: StoredDeployment,
  decisions: readonly Decision[],
): readonly StoredResource[] {
  const begins = new Map<string, ClientStep>()
  const ends = new Map<string, number>()
  for (const decision of decisions) {
    if (decision.kind === 'closing' && ['succeeded', 'failed'].includes(decision.result)) return []
    if (decision.kind !== 'client-steps') continue
    for (const step of decision.steps) {
      const { urn } = step.resource
      if (step.phase === 'end') ends.set(urn, Math.max(step.sequence, ends.get(urn) ?? -1))
      else if (step.sequence >= (begins.get(urn)?.sequence ?? -1)) begins.set(urn, step)
    }
  }
  return [...begins.values()]
    .filter(step => step.sequence > (ends.get(step.resource.urn) ?? -1))
    .filter(step => !isCreated(checkpoint, step))
    .map(({ resource }) => resource)
}

/**
 * Reports whether a checkpoint contains the object that a create made. The id of this object
 * differs from the id of the replaced object.
 */
function isCreated(
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
