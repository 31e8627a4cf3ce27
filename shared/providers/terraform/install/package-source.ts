import type { SettingsDeps } from './cli-settings.ts'
import type { PackagePlatform } from './package-folders.ts'
import type { RegistryHttpDeps } from './registry-http.ts'
import type { SourceAddress } from './source-address.ts'

/** A package that a source has. */
export type LocatedPackage =
  | { readonly kind: 'unpacked'; readonly folder: string }
  | { readonly kind: 'packed'; readonly file: string }
  | DownloadablePackage

/** A package on a server. */
export interface DownloadablePackage {
  readonly kind: 'download'
  readonly url: string
  readonly token: string | undefined
  /** undefined = not known before the download. */
  readonly sizeBytes: number | undefined
  /** SHA-256 of the file in hex. undefined = not known before the download. */
  readonly sha256: string | undefined
  /** Hashes of which the package must have one. Empty = not known. */
  readonly acceptedHashes: readonly string[]
  /**
   * Hashes of the packages of all platforms, which the source guarantees. A lock file may record
   * them.
   */
  readonly verifiedHashes: readonly string[]
}

/** A place that has packages of some providers. */
export interface PackageSource {
  /** The place, for messages. */
  readonly title: string
  /**
   * Lists the versions of a provider. For an unknown provider, returns an empty list or throws
   * TERRAFORM_PROVIDER_UNKNOWN.
   */
  readonly listVersions: (address: SourceAddress) => Promise<readonly string[]>
  /** Finds the package of a version. Returns undefined if the source does not have this version. */
  readonly locate: (address: SourceAddress, version: string) => Promise<LocatedPackage | undefined>
}

/** Dependencies of sources. */
export interface PackageSourceDeps extends RegistryHttpDeps, SettingsDeps {
  readonly programFolder: string
  readonly platform: PackagePlatform
  /** The current time in milliseconds. */
  readonly now: () => number
}
