import type { BlobHash } from '../records/ids.ts'

/**
 * The key of a plugin's archive. Each combination of operating system and architecture has an
 * archive of its own.
 */
export interface PluginKey {
  /** The kind of the plugin, such as `resource` or `analyzer`. */
  readonly kind: string
  readonly name: string
  readonly version: string
  /** `os` and `arch` have Node's values, for example `linux` and `arm64`. */
  readonly os: string
  readonly arch: string
}

/** A stored archive of a plugin. */
export interface StoredPlugin {
  readonly version: string
  readonly bytes: Uint8Array
  /** The name of the source from which a generator downloaded the archive. Absent for an upload. */
  readonly source?: string | undefined
}

/** An archive in a list of plugins. */
export interface ListedPlugin extends PluginKey {
  /** The time of the upload or download, in ms since 1970. */
  readonly storedAtMs: number
  /** The SHA-256 of the archive, in hex. */
  readonly sha256: string
  /** The name of the source from which a generator downloaded the archive. Absent for an upload. */
  readonly source?: string | undefined
}

/** Plugin archives for processes without a plugin cache of their own. */
export interface PluginStorePort {
  /**
   * Returns the archive of a version. For the version '', returns the newest stable version, or the
   * newest version if none is stable. Returns undefined when there is no archive. Throws
   * PLUGIN_CHECKSUM when the stored bytes are missing or damaged.
   */
  readonly get: (key: PluginKey) => Promise<StoredPlugin | undefined>
  /**
   * Returns a page of the stored archives in the order of their keys, after the cursor of the
   * previous page ('' for the first one). `next` is absent on the last page.
   */
  readonly list: (
    cursor: string,
  ) => Promise<{ readonly plugins: readonly ListedPlugin[]; readonly next?: string }>
  /**
   * Registers uploaded bytes as the archive of a version. Returns false and changes nothing when
   * the version already has other bytes. Throws DOCUMENT_UNKNOWN when the bytes were not uploaded.
   */
  readonly registerArchive: (key: PluginKey, archive: BlobHash) => Promise<boolean>
  /**
   * Stores an archive that was downloaded from a source, and registers it as a version. Returns
   * false and changes no version when the version already has other bytes.
   */
  readonly add: (key: PluginKey, bytes: Uint8Array, source: string) => Promise<boolean>
  /**
   * Stores a gzipped tar archive of the plugin's folder, and returns the SHA-256 of the archive.
   * Replaces an earlier archive of the version.
   */
  readonly put: (key: PluginKey, bytes: Uint8Array) => Promise<BlobHash>
}
