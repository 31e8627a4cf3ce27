import { readTextField } from './stored-fields.ts'
import type { StoredDeployment } from './stored.ts'

/**
 * Returns the deployment with only the extensions that its resources reference. Extensions of
 * pending operations stay too, because the resource of a pending create cannot be deleted without
 * its extension.
 */
export function withUsedExtensions(deployment: StoredDeployment): StoredDeployment {
  const { extensions, ...remainingDeployment } = deployment
  if (extensions === undefined) return deployment
  const states = [
    ...(remainingDeployment.resources ?? []),
    ...(remainingDeployment.pending_operations ?? []).map(({ resource }) => resource),
  ]
  const usedRefs = new Set(states.map(state => readTextField(state, 'extensionRef')))
  const usedExtensions = Object.entries(extensions).filter(([ref]) => usedRefs.has(ref))
  return usedExtensions.length === 0
    ? remainingDeployment
    : { ...remainingDeployment, extensions: Object.fromEntries(usedExtensions) }
}
