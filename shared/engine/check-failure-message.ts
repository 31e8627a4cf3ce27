import type { CheckFailure } from '../providers/provider.ts'
import { createRedactor, collectSecretTexts } from '../values/redact-secrets.ts'
import { redactMap } from '../values/special-values.ts'
import { isSecret, type PropertyMap } from '../values/value.ts'

/**
 * Returns the message of a failed check. Source: docs/spec/deployment.md#diagnostics-with-codes,
 * codes 2002 and 2003.
 */
export function formatCheckFailure(
  { type, name }: { readonly type: string; readonly name: string },
  { property, reason }: CheckFailure,
  inputs: PropertyMap,
): string {
  const redactedReason = createRedactor(collectSecretTexts(inputs))(reason)
  if (property === '') return `${type} resource '${name}' has a problem: ${redactedReason}`
  const value = isSecret(inputs.get(property))
    ? '[secret]'
    : JSON.stringify(redactMap(inputs)[property] ?? null)
  return `${type} resource '${name}': property ${property} value ${value} has a problem: ${redactedReason}`
}
