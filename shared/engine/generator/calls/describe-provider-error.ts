import { messageOf } from '../../../errors/error.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import { getAt, parsePath } from '../../../values/path.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import { maskSecretsInMap, redactMap } from '../../../values/walk.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'

/**
 * Describes the error of a component or method, with a line for each invalid property. Secrets of
 * the inputs are masked. Source: docs/spec/provider-protocol.md#response-urn.
 */
export function describeProviderError(thrown: unknown, inputs: PropertyMap): string {
  const scrub = createRedactor(collectSecretTexts(inputs))
  const problems = thrown instanceof ProviderError ? thrown.problems : undefined
  if (problems === undefined) return scrub(messageOf(thrown))
  const blind = maskSecretsInMap(inputs)
  const lines = problems.properties.map(({ path, reason }) => {
    const value = valueAt(blind, path)
    const shown = value === undefined ? '' : ` with value '${formatValue(value)}'`
    return `\n\t\t- property ${path}${shown} has a problem: ${scrub(reason)}`
  })
  return scrub(problems.message) + lines.join('')
}

/** A provider may name an invalid path, or one without a value. */
function valueAt(inputs: PropertyMap, path: string): PropertyValue | undefined {
  try {
    return getAt(inputs, parsePath(path))
  } catch {
    return undefined
  }
}

function formatValue(value: PropertyValue): string {
  if (typeof value === 'string') return value
  return JSON.stringify(redactMap(new Map([['value', value]]))['value'])
}
