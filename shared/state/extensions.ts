import { readTextField } from './stored-fields.ts'
import type { StoredDeployment } from './stored.ts'

/**
 * The deployment with the extensions that a resource names, and no others. Those of what is pending
 * stay: what turns up late of a create could not be deleted without them.
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
