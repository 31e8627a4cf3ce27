import type { Urn } from '../../../names/urn.ts'
import { createResourceState, type ResourceState } from '../../../state/resource.ts'
import { sensitivePathsOf, toRecordedOutputs } from '../driver/object-outputs.ts'
import { upgradeObject } from '../driver/prior-object.ts'
import { createRefusal } from '../driver/provider-failure.ts'
import { deriveInputs } from '../driver/inputs-after-read.ts'
import { idOfObject } from '../driver/resource-id.ts'
import type { TerraformSession } from '../driver/terraform-session.ts'
import type { StateInstance } from './state-instances.ts'

/**
 * Returns the state of an object as a deployment would have recorded it, without dependencies. The
 * provider upgrades the object to its current schema. The next deployment replaces a tainted object
 * and deletes a deposed one. Throws ProviderError.
 */
export async function createAdoptedState(
  session: TerraformSession,
  { object: { isTainted, ...fields }, deposedKey }: StateInstance,
  placement: {
    readonly urn: Urn
    /** The type token of the resource. */
    readonly type: string
    readonly parent: Urn
    /** The reference of the provider. */
    readonly provider: string
  },
): Promise<ResourceState> {
  const { urn, type } = placement
  const resource = session.pkg.requireResource(type)
  // Only the field `taint` of the resource state records the taint, so that the user can remove it.
  const stored = { ...fields, isTainted: false }
  const object = await upgradeObject(session, resource, { stored, urn })
  if (object.value.kind === 'null')
    throw createRefusal(`provider '${session.pkg.name}' upgraded the state to nothing`)
  const sensitivePaths = sensitivePathsOf(resource, object.value, object.sensitivePaths)
  const outputs = toRecordedOutputs(resource, { ...object, sensitivePaths })
  return createResourceState({
    ...placement,
    custom: true,
    id: idOfObject(resource.names.idSource, object.value),
    inputs: deriveInputs(resource, outputs),
    outputs,
    taint: isTainted,
    delete: deposedKey !== undefined,
  })
}
