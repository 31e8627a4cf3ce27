import { createError } from '../../../errors/error.ts'
import { parseJson } from '../../../values/parse-json.ts'
import type { JsonObject } from '../../../values/value-codec.ts'

/**
 * The parameter of a package: its Terraform provider, and the selection of its types. Its JSON has
 * the format of the dynamic packages of Pulumi's bridge.
 */
export type PackageParameter = PackageOptions &
  (
    | { readonly kind: 'remote'; readonly source: string; readonly version: string }
    | { readonly kind: 'local'; readonly path: string }
  )

/**
 * The part of a package's parameter that does not name the provider. It selects types, and has a
 * name for the package and metadata for the provider.
 */
export interface PackageOptions {
  /** Names of types in Terraform. Empty means all. */
  readonly includes: readonly string[]
  readonly excludes: readonly string[]
  /** The name of the package, if it differs from the type of its provider. */
  readonly providerName: string | undefined
  /**
   * The metadata that a provider with `provider_meta` gets with each call about a resource or data
   * source. The attributes have the names of Terraform.
   */
  readonly providerMeta?: JsonObject | undefined
}

/**
 * Parses the parameter value of a package, which is base64 of JSON. Throws
 * TERRAFORM_PACKAGE_INVALID.
 */
export function parsePackageParameter(base64: string): PackageParameter {
  const json = parseJson(Buffer.from(base64, 'base64').toString('utf8'))
  if (!isObject(json)) throw createParameterError('it is not a JSON object')
  const options: PackageOptions = {
    includes: readNames(json, 'includes'),
    excludes: readNames(json, 'excludes'),
    providerName: readName(json, 'providerName'),
    ...readProviderMeta(json),
  }
  const { remote, local } = json
  if (isObject(remote) === isObject(local))
    throw createParameterError("it needs either 'remote' or 'local'")
  if (isObject(local)) return { ...options, kind: 'local', path: requireName(local, 'path') }
  if (!isObject(remote)) throw createParameterError("'remote' must be an object")
  return {
    ...options,
    kind: 'remote',
    source: requireName(remote, 'url'),
    version: requireName(remote, 'version'),
  }
}

type JsonMembers = { readonly [name: string]: unknown }

function isObject(json: unknown): json is JsonMembers {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function readName(json: JsonMembers, name: string): string | undefined {
  const value = json[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '')
    throw createParameterError(`'${name}' must be a text that is not empty`)
  return value
}

function requireName(json: JsonMembers, name: string): string {
  const value = readName(json, name)
  if (value === undefined) throw createParameterError(`'${name}' is missing`)
  return value
}

function readNames(json: JsonMembers, name: string): readonly string[] {
  const value = json[name] ?? []
  const isList = Array.isArray(value) && value.every(item => typeof item === 'string')
  if (!isList) throw createParameterError(`'${name}' must be a list of texts`)
  return value
}

function readProviderMeta({ providerMeta }: JsonMembers): Pick<PackageOptions, 'providerMeta'> {
  if (providerMeta === undefined) return {}
  if (!isObject(providerMeta)) throw createParameterError("'providerMeta' must be an object")
  return { providerMeta: providerMeta as JsonObject }
}

function createParameterError(problem: string): Error {
  return createError(
    'TERRAFORM_PACKAGE_INVALID',
    `the parameter of a Terraform package is invalid: ${problem}`,
  )
}
