import type { BlobHash } from '../records/ids.ts'

/** The key of a plugin's archive: kind, name, version, and platform. */
export interface PluginKey {
  readonly kind: string
  readonly name: string
  readonly version: string
  /** As in Node, for example `linux` and `arm64`. */
  readonly os: string
  readonly arch: string
}

/** Plugin archives for processes without a plugin cache of their own. */
export interface PluginStorePort {
  /**
   * Returns the archive of a version; '' means the newest, with stable versions before others.
   * Returns undefined when there is none. Throws PLUGIN_CHECKSUM when the stored bytes are damaged.
   */
  readonly get: (
    key: PluginKey,
  ) => Promise<{ readonly version: string; readonly bytes: Uint8Array } | undefined>
  /**
   * Registers uploaded bytes as the archive of a version. Returns false when the version already
   * has other bytes, because a version never changes. Throws DOCUMENT_UNKNOWN when the bytes were
   * not uploaded.
   */
  readonly registerArchive: (key: PluginKey, archive: BlobHash) => Promise<boolean>
  /** Stores a gzipped tar archive of the plugin's folder, and returns its SHA-256. */
  readonly put: (key: PluginKey, bytes: Uint8Array) => Promise<BlobHash>
}
