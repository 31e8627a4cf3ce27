import { buildConfig } from '../values/build-config.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { createConfigError } from '../values/config-problem.ts'
import { decodeStored, type JsonObject } from '../../../values/value-codec.ts'
import { parseJson } from '../../../values/parse-json.ts'
import { requireNoErrors } from './require-no-errors.ts'
import { checkRawState, readIdentityOf } from './prior-object.ts'
import { createRefusal, describeProviderBug, requireNoDeferral } from './provider-failure.ts'
import type { ResourceObject } from './resource-object.ts'
import type { ResourceType } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeIdentity } from './wire-values.ts'

/**
 * Imports an object by its id, or by its identity. The result must be read before its use. Throws
 * ProviderError for a failed call, and if the provider finds no object or several.
 */
export async function importObject(
  session: TerraformSession,
  resource: ResourceType,
  { urn, id }: { readonly urn: string; readonly id: string },
): Promise<ResourceObject> {
  const { typeName, type } = resource
  const identity = parseImportedIdentity(resource, id)
  const response = await session.client.importResourceState({
    typeName,
    id: identity === undefined ? id : '',
    identity: encodeIdentity(resource, identity),
  })
  requireNoErrors(session, resource, { verb: 'import', subject: urn, response })
  requireNoDeferral(session.pkg.name, `the import of '${urn}'`, response)
  const [imported, ...others] = response.importedResources
  if (imported === undefined || others.length > 0)
    throw createRefusal(
      `cannot import '${urn}': the provider returned ${response.importedResources.length} objects for the id '${id}', but exactly one is required`,
    )
  const fault = `imported '${urn}' wrongly`
  if (imported.typeName !== typeName)
    throw createRefusal(
      describeProviderBug(session.pkg.name, fault, [
        { message: `the object has the type '${imported.typeName}'`, path: [] },
      ]),
    )
  // This value is only sent to the provider's Read call, so absent blocks may be null.
  const value = checkRawState(session, resource, {
    urn,
    messageStart: 'imported the object',
    read: () => decodeValue(imported.state, type),
  })
  if (value.kind === 'null')
    throw createRefusal(
      describeProviderBug(session.pkg.name, fault, [{ message: 'the object is null', path: [] }]),
    )
  return {
    value,
    private: imported.private,
    identity: readIdentityOf(session, resource, imported.identity) ?? identity,
    isTainted: false,
    sensitivePaths: [],
  }
}

/**
 * Returns the identity if the id of an import is a JSON object with the attributes of an identity.
 * Returns undefined for an ordinary id, and for types without identity. Throws
 * TERRAFORM_CONFIG_INVALID.
 */
function parseImportedIdentity(
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
