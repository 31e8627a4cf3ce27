import { messageOf } from '../../../errors/error.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import { getAtPath, parsePath } from '../../../values/path.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import { maskSecretsInMap, redactMap } from '../../../values/special-values.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'

/**
 * Describes the error of a component or method, with a line for each invalid property. Secrets of
 * the inputs are masked. Source: docs/spec/provider-protocol.md#response.
 */
export function describeProviderError(thrown: unknown, inputs: PropertyMap): string {
  const redact = createRedactor(collectSecretTexts(inputs))
  const problems = thrown instanceof ProviderError ? thrown.problems : undefined
  if (problems === undefined) return redact(messageOf(thrown))
  const maskedInputs = maskSecretsInMap(inputs)
  const lines = problems.properties.map(({ path, reason }) => {
    const value = findValue(maskedInputs, path)
    const valueText = value === undefined ? '' : ` with value '${formatValue(value)}'`
    return `\n\t\t- property ${path}${valueText} has a problem: ${redact(reason)}`
  })
  return redact(problems.message) + lines.join('')
}

/**
 * Returns the value at a path. Undefined for an invalid path or a path without a value, because a
 * provider may report both.
 */
function findValue(inputs: PropertyMap, path: string): PropertyValue | undefined {
  try {
    return getAtPath(inputs, parsePath(path))
  } catch {
    return undefined
  }
}

function formatValue(value: PropertyValue): string {
  if (typeof value === 'string') return value
  return JSON.stringify(redactMap(new Map([['value', value]]))['value'])
}
