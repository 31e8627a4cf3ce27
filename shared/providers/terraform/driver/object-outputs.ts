import type { PropertyMap } from '../../../values/value.ts'
import { writeStoredObject } from '../mapping/stored-object.ts'
import { toOutputs } from '../mapping/to-outputs.ts'
import type { CtyPath } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { encodeCtyJson } from '../values/encode-json.ts'
import { mergeSensitivePaths, listSensitivePaths } from '../values/sensitive-paths.ts'
import { findAtCtyPath } from '../values/walk-value.ts'
import type { ResourceObject } from './resource-object.ts'
import type { ResourceType } from './terraform-package.ts'

/**
 * Returns the paths of the parts of an object that its schema or its configuration makes secret.
 * `configuredPaths`: the paths of the secrets in the configuration.
 */
export function sensitivePathsOf(
  { block }: ResourceType,
  value: CtyValue,
  configuredPaths: readonly CtyPath[],
): readonly CtyPath[] {
  const existingPaths = configuredPaths.filter(path => findAtCtyPath(value, path) !== undefined)
  return mergeSensitivePaths(listSensitivePaths(block, value), existingPaths)
}

/** Returns the outputs of a planned object, for a preview. */
export function toPlannedOutputs(
  resource: ResourceType,
  planned: CtyValue,
  configuredPaths: readonly CtyPath[],
): PropertyMap {
  return toOutputs(resource.names, planned, sensitivePathsOf(resource, planned, configuredPaths))
}

/**
 * Returns the outputs of an object as states record them: its attributes and its stored form. The
 * stored form can be read again without loss.
 */
export function toRecordedOutputs(resource: ResourceType, object: ResourceObject): PropertyMap {
  const { typeName, names, type, version, identity } = resource
  const { value, sensitivePaths } = object
  return writeStoredObject(toOutputs(names, value, sensitivePaths), {
    typeName,
    schemaVersion: version,
    stateJson: encodeCtyJson(value, type),
    privateData: object.private,
    identityJson:
      identity === undefined || object.identity === undefined
        ? undefined
        : encodeCtyJson(object.identity, identity.type),
    identitySchemaVersion: object.identity === undefined ? undefined : identity?.version,
    isTainted: object.isTainted,
    sensitivePaths,
  })
}
