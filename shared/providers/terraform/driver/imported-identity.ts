import { buildConfig } from '../values/build-config.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { createConfigError } from '../values/config-problem.ts'
import { decodeStored, type JsonObject } from '../../../values/value-codec.ts'
import { parseJson } from '../../../values/parse-json.ts'
import type { ResourceType } from './terraform-package.ts'

/**
 * Returns the identity that the id of an import contains as a JSON object of its attributes.
 * Returns undefined for an ordinary id, and for types without identity. Throws
 * TERRAFORM_CONFIG_INVALID.
 */
export function parseImportedIdentity(
  { identity, typeName }: ResourceType,
  id: string,
): CtyValue | undefined {
  if (identity === undefined || !id.trimStart().startsWith('{')) return undefined
  const json = parseJson(id) as JsonObject | undefined
  if (json === undefined) return undefined
  const input = decodeStored(json, ciphertext => ciphertext)
  const { value, problems } = buildConfig(identity.block, input)
  if (problems.length > 0) throw createConfigError(`the identity of '${typeName}'`, problems)
  return value
}
