import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { containsSecret } from '../../values/walk.ts'

/**
 * What is known of another stack: its outputs, and the names of those that hold secrets, sorted, so
 * that no order makes a difference. Source: docs/spec/providers.md#built-in-provider.
 */
export function createReferenceOutputs(name: string, outputs: PropertyMap): PropertyMap {
  const secret = [...outputs].filter(([, value]) => containsSecret(value)).map(([key]) => key)
  return new Map<string, PropertyValue>([
    ['name', name],
    ['outputs', outputs],
    ['secretOutputNames', secret.sort()],
  ])
}
