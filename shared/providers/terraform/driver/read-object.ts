import { requireNoErrors } from './require-no-errors.ts'
import { emptyMap } from '../../../values/value.ts'
import type { Provider, ReadResult } from '../../provider.ts'
import { deriveInputs, updateInputs } from './inputs-after-read.ts'
import { checkState, readIdentityOf, readPriorObject } from './prior-object.ts'
import { warnOfChangedIdentity } from './identity-change.ts'
import { importObject } from './import-object.ts'
import { sensitivePathsOf, toRecordedOutputs } from './object-outputs.ts'
import { idOfObject } from './resource-id.ts'
import { createRefusal, requireNoDeferral } from './provider-failure.ts'
import type { ResourceObject } from './resource-object.ts'
import type { ResourceType } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeIdentity, encodeValue } from './wire-values.ts'

/** The result for an object that does not exist, or that cannot be read yet. */
const absentResult: ReadResult = {
  id: '',
  inputs: emptyMap,
  outputs: emptyMap,
  refreshBeforeUpdate: false,
  initErrors: [],
}

/** The initialization error of a tainted object. */
const taintReason = 'the object was created with errors. The next update replaces it'

/**
 * Reads an object: a recorded one, or one to import by its id. The id in the result is '' for an
 * object that does not exist any more, and while the provider is unconfigured. Throws
 * ProviderError.
 */
export async function readObject(
  session: TerraformSession,
  request: Parameters<Provider['read']>[0],
): Promise<ReadResult> {
  const { urn, type: token, id, inputs, outputs } = request
  await session.waitUntilConfigured()
  if (session.isUnconfigured()) return absentResult
  const resource = session.pkg.requireResource(token)
  const isImport = outputs === undefined || outputs.size === 0
  const prior = isImport
    ? await importObject(session, resource, { urn, id })
    : await readPriorObject(session, resource, { urn, outputs })
  const current = await refreshObject(session, resource, { urn, prior })
  if (current === undefined) {
    if (isImport)
      throw createRefusal(
        `cannot import '${urn}': the provider found no object with the id '${id}'`,
      )
    return absentResult
  }
  const currentOutputs = toRecordedOutputs(resource, current)
  session.objectsByOutputs.set(currentOutputs, current)
  return {
    id: isImport ? idOfObject(resource.names.idSource, current.value) : id,
    inputs:
      inputs === undefined || inputs.size === 0
        ? deriveInputs(resource, currentOutputs)
        : updateInputs(resource, { inputs, outputs: currentOutputs }),
    outputs: currentOutputs,
    refreshBeforeUpdate: false,
    initErrors: current.isTainted ? [taintReason] : [],
  }
}

/**
 * Reads the current state of an object. Returns undefined if it does not exist any more. Throws
 * ProviderError.
 */
async function refreshObject(
  session: TerraformSession,
  resource: ResourceType,
  { urn, prior }: { readonly urn: string; readonly prior: ResourceObject },
): Promise<ResourceObject | undefined> {
  const { typeName, type } = resource
  const response = await session.client.readResource({
    typeName,
    currentState: encodeValue(prior.value, type),
    private: prior.private,
    currentIdentity: encodeIdentity(resource, prior.identity),
    providerMeta: session.pkg.providerMeta,
  })
  requireNoErrors(session, resource, { verb: 'read', subject: urn, response })
  requireNoDeferral(session.pkg.name, `the reading of '${urn}'`, response)
  const value = checkState(session, resource, {
    urn,
    messageStart: 'read the object',
    read: () => decodeValue(response.newState, type),
  })
  if (value.kind === 'null') return undefined
  const identity = readIdentityOf(session, resource, response.newIdentity)
  warnOfChangedIdentity(session, urn, [prior.identity, identity])
  return {
    value,
    private: response.private,
    identity: identity ?? prior.identity,
    isTainted: prior.isTainted,
    sensitivePaths: sensitivePathsOf(resource, value, prior.sensitivePaths),
  }
}
