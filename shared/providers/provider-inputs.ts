import { createError } from '../errors/error.ts'
import { packageOf } from '../names/provider-reference.ts'
import type { Urn } from '../names/urn.ts'
import { isMap, type PropertyMap, type PropertyValue } from '../values/value.ts'
import { containsUnknown, stripSecrets } from '../values/special-values.ts'
import type { PackageParameterization } from '../records/package-parameterization.ts'
import type { PackageRequest } from './package-request.ts'
import type { PluginDescriptor } from './provider.ts'

/**
 * The input of a provider resource that contains values of the engine, such as the plugin's name
 * and download URL.
 */
export const internalKey = '__internal'

/**
 * The plugin of a provider resource, according to its inputs. Source:
 * docs/spec/provider-protocol.md#inputs-and-outputs-in-state.
 */
export interface ProviderPlugin extends PluginDescriptor {
  readonly checksums: ReadonlyMap<string, string>
  /** The parameterization that must be sent before any other request. */
  readonly parameterization: PackageParameterization | undefined
  /** Variable of the user → variable of the plugin that gets its value. */
  readonly envVarMappings: ReadonlyMap<string, string>
}

/** Returns the inputs without the values of the engine. */
export function withoutEngineValues(inputs: PropertyMap): PropertyMap {
  if (!inputs.has(internalKey)) return inputs
  return new Map([...inputs].filter(([key]) => key !== internalKey))
}

/**
 * Returns the plugin to which the inputs of a provider resource refer. States of older Pulumi
 * versions have the engine's values at the root instead of in `__internal`. Throws
 * RESOURCE_INVALID.
 */
export function readProviderPlugin(urn: Urn, inputs: PropertyMap): ProviderPlugin {
  const pkg = packageOfUrn(urn)
  const internal = inputs.get(internalKey) ?? null
  if (internal !== null && !isMap(internal))
    throw createInvalidProviderError(urn, `'${internalKey}' must be an object`)
  const engineValues = internal ?? inputs
  const isParameterized = engineValues.has('parameterization')
  const parameterization = isParameterized
    ? {
        name: pkg,
        version: readTextInput(urn, inputs, 'version'),
        value: readTextInput(urn, engineValues, 'parameterization'),
      }
    : undefined
  if (parameterization?.version === '')
    throw createInvalidProviderError(urn, "must have a 'version' field")
  const name = readTextInput(urn, engineValues, 'name')
  if (name === '' && engineValues.has('name') && internal !== null)
    throw createInvalidProviderError(urn, "'name' must not be empty")
  return {
    kind: 'resource',
    name: name === '' ? pkg : name,
    version: readTextInput(urn, isParameterized ? engineValues : inputs, 'version'),
    downloadUrl: readTextInput(urn, engineValues, 'pluginDownloadURL'),
    checksums: readTextMapInput(urn, engineValues, 'pluginChecksums'),
    parameterization,
    envVarMappings: readTextMapInput(urn, engineValues, 'envVarMappings'),
  }
}

/**
 * Returns the inputs of a provider resource with the plugin of a request. The added keys have the
 * same order as in Pulumi's states. For a parameterized plugin, `version` is the version of the
 * resulting package, and `__internal` has the version of the plugin. Source:
 * docs/spec/provider-protocol.md#inputs-and-outputs-in-state.
 */
export function withPlugin(inputs: PropertyMap, request: PackageRequest): PropertyMap {
  const { version, downloadUrl, checksums, parameters } = request
  let updatedInputs = inputs
  if (version !== '') updatedInputs = withVersion(updatedInputs, version)
  if (downloadUrl !== '')
    updatedInputs = withEngineValues(updatedInputs, [['pluginDownloadURL', downloadUrl]])
  if (checksums.size > 0)
    updatedInputs = withEngineValues(updatedInputs, [['pluginChecksums', new Map(checksums)]])
  if (parameters === undefined) return updatedInputs
  const parameterizedInputs = withEngineValues(updatedInputs, [
    ['name', parameters.plugin],
    ['version', updatedInputs.get('version') ?? null],
    ['parameterization', parameters.value],
  ])
  return withVersion(parameterizedInputs, parameters.version)
}

/**
 * Returns the inputs with a version. The result always has `__internal`, even if `__internal` is
 * empty.
 */
function withVersion(inputs: PropertyMap, version: string): PropertyMap {
  return new Map([...withEngineValues(inputs, []), ['version', version]])
}

/** Returns the inputs with additional values of the engine. */
export function withEngineValues(
  inputs: PropertyMap,
  addedEntries: readonly (readonly [string, PropertyValue])[],
): PropertyMap {
  const existingInternal = inputs.get(internalKey)
  const internal = new Map([
    ...(existingInternal !== undefined && isMap(existingInternal) ? existingInternal : []),
    ...addedEntries,
  ])
  return new Map([...inputs, [internalKey, internal]])
}

/** Returns the package of a provider resource by its URN. */
export function packageOfUrn(urn: Urn): string {
  const type = urn.slice(urn.lastIndexOf('pulumi:providers:'))
  return packageOf(type.slice(0, type.indexOf('::')))
}

function createInvalidProviderError(urn: Urn, problem: string): Error {
  return createError('RESOURCE_INVALID', `${problem} (provider ${urn})`)
}

/** Returns a text input. Returns '' if it is absent or not known yet. */
function readTextInput(urn: Urn, map: PropertyMap, key: string): string {
  const plainValue = readWithoutSecrets(map, key)
  if (plainValue === null || typeof plainValue === 'string') return plainValue ?? ''
  if (containsUnknown(plainValue)) return ''
  throw createInvalidProviderError(urn, `'${key}' must be a string`)
}

function readTextMapInput(urn: Urn, map: PropertyMap, key: string): ReadonlyMap<string, string> {
  const plainValue = readWithoutSecrets(map, key)
  if (plainValue === null) return new Map()
  if (!isMap(plainValue)) throw createInvalidProviderError(urn, `'${key}' must be an object`)
  return new Map(
    [...plainValue].map(([name, value]) => {
      if (typeof value !== 'string')
        throw createInvalidProviderError(urn, `'${key}[${name}]' must be a string`)
      return [name, value]
    }),
  )
}

function readWithoutSecrets(map: PropertyMap, key: string): PropertyValue {
  const value = map.get(key)
  return value === undefined ? null : stripSecrets(value)
}
