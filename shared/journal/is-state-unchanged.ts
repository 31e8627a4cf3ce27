import { isDeepStrictEqual } from 'node:util'
import { createPauser } from '../state/stream/pause.ts'
import type { StoredDeployment } from '../state/stored.ts'

/**
 * Reports whether the fold of a deployment has the contents of its base. The manifests may differ
 * in their times: a fold has the time of its deployment. Linear, and ends at the first difference.
 * Lets other work run in between.
 */
export async function isStateUnchanged(
  base: StoredDeployment,
  folded: StoredDeployment,
): Promise<boolean> {
  const { resources: baseResources = [], manifest: baseManifest, ...baseFields } = base
  const { resources: foldedResources = [], manifest: foldedManifest, ...foldedFields } = folded
  if (
    baseResources.length !== foldedResources.length ||
    !isDeepStrictEqual({ ...baseManifest, time: '' }, { ...foldedManifest, time: '' }) ||
    !isDeepStrictEqual(baseFields, foldedFields)
  )
    return false
  const pauser = createPauser()
  for (const [index, resource] of foldedResources.entries()) {
    if (!isDeepStrictEqual(baseResources[index], resource)) return false
    await pauser.addResource()
  }
  return true
}
