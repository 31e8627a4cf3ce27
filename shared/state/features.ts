import { signatureKey, signatures } from '../values/wire-options.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

/** The features that a deployment needs its readers to know, sorted (`state.md` 1.3). */
export function featuresOf(deployment: StoredDeployment): readonly string[] {
  const found = new Set<string>()
  const pending = (deployment.pending_operations ?? []).map(operation => operation.resource)
  for (const resource of [...(deployment.resources ?? []), ...pending])
    for (const feature of usedBy(resource)) found.add(feature)
  if ((deployment.snippets ?? []).length > 0) found.add('snippets-prototype')
  return [...found].sort()
}

function usedBy(resource: StoredResource): readonly string[] {
  const has = (field: string): boolean => isFilled(resource[field])
  return [
    ...(has('refreshBeforeUpdate') ? ['refreshBeforeUpdate'] : []),
    ...(has('viewOf') ? ['views'] : []),
    ...(has('resourceHooks') ? ['hooks'] : []),
    ...(has('taint') ? ['taint'] : []),
    ...(has('replaceWith') ? ['replaceWith'] : []),
    ...(has('extensionRef') ? ['extensionParameterization'] : []),
    ...(has('snippetID') ? ['snippets-prototype'] : []),
    ...([resource['inputs'], resource['outputs'], resource['replacementTrigger']].some(holdsBytes)
      ? ['byteString']
      : []),
  ]
}

function isFilled(json: Json | undefined): boolean {
  if (json === undefined || json === null || json === false || json === '') return false
  return typeof json !== 'object' || Object.keys(json).length > 0
}

function holdsBytes(json: Json | undefined): boolean {
  if (typeof json !== 'object' || json === null) return false
  if (
    !Array.isArray(json) &&
    Object.hasOwn(json, signatureKey) &&
    Object.entries(json).some(([key, value]) => key === signatureKey && value === signatures.bytes)
  )
    return true
  return Object.values(json).some(holdsBytes)
}
