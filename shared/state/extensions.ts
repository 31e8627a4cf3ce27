import { readTextField } from './stored-fields.ts'
import type { StoredDeployment } from './stored.ts'

/**
 * Returns the deployment with only the extensions that its resources reference. Extensions of
 * pending operations stay too, because the late result of a create cannot be deleted without them.
 */
export function withUsedExtensions(deployment: StoredDeployment): StoredDeployment {
  const { extensions, ...rest } = deployment
  if (extensions === undefined) return deployment
  const states = [
    ...(rest.resources ?? []),
    ...(rest.pending_operations ?? []).map(({ resource }) => resource),
  ]
  const used = new Set(states.map(state => readTextField(state, 'extensionRef')))
  const kept = Object.entries(extensions).filter(([ref]) => used.has(ref))
  return kept.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(kept) }
}
