import { createHash } from 'node:crypto'
import type { Extension } from '../records/extension.ts'

/** How a plugin becomes another package. `value`: base64. */
export interface PackageParameters {
  /** The plugin that is given them. */
  readonly plugin: string
  /** The version of the package that it becomes. */
  readonly version: string
  readonly value: string
}

/** Which plugin a default provider is asked for; '' = whatever there is. */
export interface PackageRequest {
  readonly pkg: string
  /** Of the plugin. */
  readonly version: string
  readonly downloadUrl: string
  /** `linux-amd64` → hex SHA-256. */
  readonly checksums: ReadonlyMap<string, string>
  /** Where the package is a plugin with parameters. */
  readonly parameters?: PackageParameters
  /** What its resources need their provider to be extended by. */
  readonly extension?: Extension & { readonly ref: string }
}

/** The version of the package itself: that of the plugin, unless parameters made it. */
export function packageVersionOf({ version, parameters }: PackageRequest): string {
  return parameters?.version ?? version
}

/** An extension with the name that states know it by, which says what it is. */
export function withRef(extension: Extension): Extension & { readonly ref: string } {
  const { name, version, value } = extension
  const hash = createHash('sha256').update(`${name}\0${version}\0`)
  return { ref: hash.update(Buffer.from(value, 'base64')).digest('hex'), name, version, value }
}

/** An extension as a snapshot or record has it; undefined where it is none. */
export function parseExtension(json: unknown): Extension | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { name, version, value } = json as { readonly [field: string]: unknown }
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return { name, version, value: typeof value === 'string' ? value : '' }
}
