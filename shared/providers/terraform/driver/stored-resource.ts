import type { PropertyMap } from '../../../values/value.ts'
import { recoverRawState } from '../mapping/raw-state-delta.ts'
import { readBridgeMeta } from '../mapping/bridge-meta.ts'
import { rebuildState } from '../mapping/rebuild-state.ts'
import { readStoredObject, type StoredObject } from '../mapping/stored-object.ts'
import { encodeCtyJson } from '../values/encode-json.ts'
import { replaceUnknowns } from '../values/walk-value.ts'
import { createRefusal } from './provider-failure.ts'
import type { ResourceType } from './terraform-package.ts'
import { formatPathOf } from './diagnostics.ts'

/** A resource in a state: its URN and its outputs. */
export interface RecordedResource {
  readonly urn: string
  readonly outputs: PropertyMap
}

/**
 * Returns the stored object of a recorded resource. The outputs usually contain a record of it. In
 * a state of Pulumi's bridge, and after an edit of the outputs, the object is rebuilt from the
 * outputs. Throws ProviderError if the outputs do not fit the schema.
 */
export function requireStoredObject(
  resource: ResourceType,
  { urn, outputs }: RecordedResource,
): StoredObject {
  const stored = readStoredObject(outputs)
  if (stored !== undefined) return stored
  const meta = readBridgeMeta(outputs)
  const { value, problems, sensitivePaths } = rebuildState(resource.block, resource.names, outputs)
  const recovered = recoverRawState(outputs)
  if (recovered === undefined && problems.length > 0) {
    const formatPath = formatPathOf(resource)
    const reasons = problems.map(({ message, path }) => `${message} at '${formatPath(path)}'`)
    throw createRefusal(
      `the outputs of '${urn}' do not fit the schema of its provider: ${reasons.join('; ')}`,
    )
  }
  return {
    typeName: resource.typeName,
    schemaVersion: meta.schemaVersion,
    stateJson: recovered ?? encodeCtyJson(replaceUnknowns(value), resource.type),
    privateData: meta.privateData,
    isTainted: false,
    sensitivePaths,
  }
}
