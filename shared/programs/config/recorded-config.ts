import type { Json } from '../../state/stored.ts'
import { formatConfigTree, formatLargeIntegers, type StoredConfigValue } from './config-tree.ts'

/**
 * Returns a configuration as the history records it (docs/spec/backend-layout.md#history). Secrets
 * keep the ciphertexts of the stack file. In maps and lists, integers that JSON readers would round
 * are texts.
 */
export function toRecordedConfig(
  values: ReadonlyMap<string, StoredConfigValue>,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    [...values].map(([key, value]) => [
      key,
      typeof value === 'string'
        ? value
        : (JSON.parse(formatConfigTree(formatLargeIntegers(value))) as Json),
    ]),
  )
}
