import { createHash } from 'node:crypto'
import type { PackageParameterization } from '../records/package-parameterization.ts'

/** The parameters that make a plugin serve another package. `value`: base64. */
export interface PackageParameters {
  /** The plugin that receives them. */
  readonly plugin: string
  /** The version of the resulting package. */
  readonly version: string
  readonly value: string
}

/**
 * A requested package, and the plugin that serves it. An empty `version` or `downloadUrl` means
 * that the request does not specify the value.
 */
export interface PackageRequest {
  readonly pkg: string
  /** The version of the plugin. */
  readonly version: string
  readonly downloadUrl: string
  /** `linux-amd64` → hex SHA-256. */
  readonly checksums: ReadonlyMap<string, string>
  /** Set when the package is a parameterized plugin. */
  readonly parameters?: PackageParameters
  /**
   * The extension parameterization. With it, the provider of `pkg` also serves the package
   * `extension.name`. `ref`: the name of the extension in states.
   */
  readonly extension?: PackageParameterization & { readonly ref: string }
}

/** Returns the version in the parameters, or the plugin's version for a package without them. */
export function packageVersionOf({ version, parameters }: PackageRequest): string {
  return parameters?.version ?? version
}

/**
 * Returns an extension with its reference. States name an extension by this reference, a hash of
 * the extension's contents.
 */
export function withExtensionRef(
  extension: PackageParameterization,
): PackageParameterization & { readonly ref: string } {
  const { name, version, value } = extension
  const hash = createHash('sha256').update(`${name}\0${version}\0`)
  return { ref: hash.update(Buffer.from(value, 'base64')).digest('hex'), name, version, value }
}

/**
 * Reads an extension from the parsed JSON of a snapshot or record. Returns undefined unless `name`
 * and `version` are texts. An absent `value` is ''.
 */
export function parseExtension(json: unknown): PackageParameterization | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { name, version, value } = json as { readonly [field: string]: unknown }
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return { name, version, value: typeof value === 'string' ? value : '' }
}
