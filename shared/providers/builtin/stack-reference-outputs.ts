import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { containsSecret } from '../../values/special-values.ts'

/**
 * Returns the outputs of a stack reference: the outputs of the other stack, and the sorted names of
 * the secret ones. Without sorting, a changed order would appear as a difference. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function createReferenceOutputs(name: string, outputs: PropertyMap): PropertyMap {
  const secretNames = [...outputs].filter(([, value]) => containsSecret(value)).map(([key]) => key)
  return new Map<string, PropertyValue>([
    ['name', name],
    ['outputs', outputs],
    ['secretOutputNames', secretNames.sort()],
  ])
}
