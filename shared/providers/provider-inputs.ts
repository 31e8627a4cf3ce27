import { error } from '../errors/error.ts'
import { packageOf } from '../names/provider-reference.ts'
import type { Urn } from '../names/urn.ts'
import { isMap, type PropertyMap, type PropertyValue } from '../values/value.ts'
import { containsUnknown, stripSecrets } from '../values/walk.ts'
import type { Extension } from '../records/extension.ts'
import type { PackageRequest } from './package-request.ts'
import type { PluginDescriptor } from './provider.ts'

/**
 * The input of a provider resource that contains the engine's own values (version of the plugin,
 * its address …).
 */
export const internalKey = '__internal'

/**
 * The plugin of a provider resource, according to its inputs. Source:
 * docs/spec/provider-protocol.md#inputs-and-outputs-in-state.
 */
export interface ProviderPlugin extends PluginDescriptor {
  readonly checksums: ReadonlyMap<string, string>
  /** The parameterization that must be sent before any other request. */
  readonly parameterization: Extension | undefined
  /** Variable of the user → variable of the plugin that gets its value. */
  readonly envVarMappings: ReadonlyMap<string, string>
}

/** Returns the inputs without the engine's own values. */
export function withoutInternal(inputs: PropertyMap): PropertyMap {
  if (!inputs.has(internalKey)) return inputs
  return new Map([...inputs].filter(([key]) => key !== internalKey))
}

/**
 * Returns the plugin that the inputs of a provider resource name. States of older versions have
 * these values at the root instead of in `__internal`. Throws RESOURCE_INVALID.
 */
export function pluginOf(urn: Urn, inputs: PropertyMap): ProviderPlugin {
  const pkg = packageOfUrn(urn)
  const internal = inputs.get(internalKey) ?? null
  if (internal !== null && !isMap(internal))
    throw invalidError(urn, `'${internalKey}' must be an object`)
  const own = internal ?? inputs
  const isParameterized = own.has('parameterization')
  const parameterization = isParameterized
    ? {
        name: pkg,
        version: readText(urn, inputs, 'version'),
        value: readText(urn, own, 'parameterization'),
      }
    : undefined
  if (parameterization?.version === '') throw invalidError(urn, "must have a 'version' field")
  const name = readText(urn, own, 'name')
  if (name === '' && own.has('name') && internal !== null)
    throw invalidError(urn, "'name' must not be empty")
  return {
    kind: 'resource',
    name: name === '' ? pkg : name,
    version: readText(urn, isParameterized ? own : inputs, 'version'),
    downloadUrl: readText(urn, own, 'pluginDownloadURL'),
    checksums: readTexts(urn, own, 'pluginChecksums'),
    parameterization,
    envVarMappings: readTexts(urn, own, 'envVarMappings'),
  }
}

/**
 * Returns the inputs of a provider resource with the plugin of a request, written in Pulumi's
 * order. The version of the parameters overrides others. Source:
 * docs/spec/provider-protocol.md#inputs-and-outputs-in-state.
 */
export function withPlugin(inputs: PropertyMap, request: PackageRequest): PropertyMap {
  const { version, downloadUrl, checksums, parameters } = request
  let written = inputs
  if (version !== '') written = withVersion(written, version)
  if (downloadUrl !== '') written = withInternal(written, [['pluginDownloadURL', downloadUrl]])
  if (checksums.size > 0) written = withInternal(written, [['pluginChecksums', new Map(checksums)]])
  if (parameters === undefined) return written
  const named = withInternal(written, [
    ['name', parameters.plugin],
    ['version', written.get('version') ?? null],
    ['parameterization', parameters.value],
  ])
  return withVersion(named, parameters.version)
}

/** Returns the inputs with a version. They then have `__internal` too, even if it is empty. */
function withVersion(inputs: PropertyMap, version: string): PropertyMap {
  return new Map([...withInternal(inputs, []), ['version', version]])
}

/** Returns the inputs with additional engine values. */
export function withInternal(
  inputs: PropertyMap,
  more: readonly (readonly [string, PropertyValue])[],
): PropertyMap {
  const before = inputs.get(internalKey)
  const internal = new Map([...(before !== undefined && isMap(before) ? before : []), ...more])
  return new Map([...inputs, [internalKey, internal]])
}

/** Returns the package of a provider resource by its URN. */
export function packageOfUrn(urn: Urn): string {
  const type = urn.slice(urn.lastIndexOf('pulumi:providers:'))
  return packageOf(type.slice(0, type.indexOf('::')))
}

function invalidError(urn: Urn, what: string): Error {
  return error('RESOURCE_INVALID', `${what} (provider ${urn})`)
}

/** Returns a text input, '' when it is absent or not known yet. */
function readText(urn: Urn, map: PropertyMap, key: string): string {
  const plain = readPlain(map, key)
  if (plain === null || typeof plain === 'string') return plain ?? ''
  if (containsUnknown(plain)) return ''
  throw invalidError(urn, `'${key}' must be a string`)
}

function readTexts(urn: Urn, map: PropertyMap, key: string): ReadonlyMap<string, string> {
  const plain = readPlain(map, key)
  if (plain === null) return new Map()
  if (!isMap(plain)) throw invalidError(urn, `'${key}' must be an object`)
  return new Map(
    [...plain].map(([name, value]) => {
      if (typeof value !== 'string') throw invalidError(urn, `'${key}[${name}]' must be a string`)
      return [name, value]
    }),
  )
}

function readPlain(map: PropertyMap, key: string): PropertyValue {
  const value = map.get(key)
  return value === undefined ? null : stripSecrets(value)
}
